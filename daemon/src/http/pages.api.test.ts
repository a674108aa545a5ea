import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startGateway, type TestGateway } from "../../../testing/gateway.ts";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ config: { auth: { enabled: true, local_net: "10.99.0.0/16" } } });
});
afterAll(() => gateway[Symbol.asyncDispose]());

test("the page of the contract needs nothing from anywhere else", async () => {
  const { status, headers, text } = await gateway.request("GET", "/docs");
  expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  expect(text).toContain("/devices/{id}");
  expect(text).not.toMatch(/https?:\/\//i);
  expect(text).not.toMatch(/<(script|iframe|object|embed|link|img|form|base)\b|\bon\w+\s*=|javascript:|@import|url\(/i);
  const links = [...text.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, link]) => link!);
  expect(links.filter((link) => !/^(#|\/api\/v1\/)/.test(link))).toEqual([]);
  expect(links.length).toBeGreaterThan(1);
});

test("the page's policy allows its own style and nothing else", async () => {
  const { headers, text } = await gateway.request("GET", "/docs");
  const styles = [...text.matchAll(/<style>(.*?)<\/style>/gs)].map(([, style]) => style!);
  expect(styles).toHaveLength(1);
  const policy = headers.get("content-security-policy")!.split(/; ?/);
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).toContain(`style-src 'sha256-${hash("sha256", styles[0]!, "base64")}'`);
  expect(policy.join()).not.toMatch(/unsafe|\*|https?:/);
});

test("the document served is the one that is printed", async () => {
  const answer = await gateway.request("GET", "/openapi.json");
  const root = join(import.meta.dirname, "../../..");
  const printed = execFileSync(process.execPath, ["scripts/openapi.ts"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 16 << 20,
  });
  expect([answer.status, answer.json()]).toEqual([200, JSON.parse(printed)]);
});
