import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../testing/folder.ts";
import { startGateway, type TestGateway } from "../../../testing/gateway.ts";
import { sendRaw, wire } from "../../../testing/raw-http.ts";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ config: { auth: { enabled: true, local_net: "10.99.0.0/16" } } });
});
afterAll(() => gateway[Symbol.asyncDispose]());

test("API documents: the page of the contract needs nothing from anywhere else", async () => {
  const { status, headers, text } = await gateway.request("GET", "/docs");
  expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  expect(text).toContain("/devices/{id}");
  expect(text).not.toMatch(/https?:\/\//i);
  expect(text).not.toMatch(/<(script|iframe|object|embed|link|img|form|base)\b|\bon\w+\s*=|javascript:|@import|url\(/i);
  const links = [...text.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, link]) => link!);
  expect(links.filter((link) => !/^(#|\/api\/v1\/)/.test(link))).toEqual([]);
  expect(links.length).toBeGreaterThan(1);
});

test("API documents: the page's policy allows its own style and nothing else", async () => {
  const { headers, text } = await gateway.request("GET", "/docs");
  const styles = [...text.matchAll(/<style>(.*?)<\/style>/gs)].map(([, style]) => style!);
  expect(styles).toHaveLength(1);
  const policy = headers.get("content-security-policy")!.split(/; ?/);
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).toContain(`style-src 'sha256-${hash("sha256", styles[0]!, "base64")}'`);
  expect(policy.join()).not.toMatch(/unsafe|\*|https?:/);
});

test("API documents: the document served is the one that is printed", async () => {
  const answer = await gateway.request("GET", "/openapi.json");
  const root = join(import.meta.dirname, "../../..");
  const printed = execFileSync(process.execPath, ["scripts/openapi.ts"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 16 << 20,
  });
  expect([answer.status, answer.json()]).toEqual([200, JSON.parse(printed)]);
});

test("API documents: a gateway with an interface answers its addresses, and the API as if there were none", async () => {
  using web = temporaryFolder();
  mkdirSync(join(web.path, "assets"));
  writeFileSync(join(web.path, "index.html"), "<!doctype html><title>Portcullis</title>");
  writeFileSync(join(web.path, "assets", "main-Bx3_k9Q1.js"), "export {};");
  await using shown = await startGateway({ webFolder: web.path });
  await using bare = await startGateway();
  const headers = { accept: "text/html,*/*;q=0.8" };
  const seen = async ({ request }: TestGateway, path: string, method = "GET") => {
    const answer = await request(method, path, { headers });
    const [type, allow] = [answer.headers.get("content-type"), answer.headers.get("allow")];
    return [answer.status, type, allow, type?.startsWith("text/html") ? "a page" : answer.text];
  };

  for (const path of ["//", "//devices/123", "//assets/main-Bx3_k9Q1.js"]) {
    expect((await seen(shown, path)).slice(0, 1)).toEqual([200]);
    expect((await seen(shown, path, "HEAD")).slice(0, 1)).toEqual([200]);
    expect((await seen(bare, path)).slice(0, 1)).toEqual([404]);
  }
  for (const [method, path] of [
    ["GET", "/nothing"],
    ["HEAD", "/nothing"],
    ["GET", "/devices/not-an-id"],
    ["GET", `/devices/${"x".repeat(300)}`],
    ["GET", "/routing/apply"],
    ["OPTIONS", "/devices"],
    ["POST", "/nothing"],
    ["POST", "//devices/123"],
    ["GET", "//api/v1/%zz"],
    ["GET", "//%zz"],
    ["GET", "/docs"],
  ] as const)
    expect([path, await seen(shown, path, method)]).toEqual([path, await seen(bare, path, method)]);
});

test("API documents: the interface is anybody's, the gateway's state is not: a rebound name reads files and nothing else", async () => {
  using web = temporaryFolder();
  writeFileSync(join(web.path, "index.html"), "<!doctype html><title>Portcullis</title>");
  await using open = await startGateway({ webFolder: web.path });
  const read = (path: string, host: string) =>
    sendRaw(open.origin, wire(`GET ${path} HTTP/1.1`, { host, accept: "text/html" }));
  expect(await read("/devices", "evil.example")).toMatchObject({ status: 200 });
  expect(await read("/api/v1/devices", "evil.example")).toMatchObject({ status: 403, code: "forbidden" });
  expect(await read("/api/v1/devices", new URL(open.origin).host)).toMatchObject({ status: 200 });
});
