import { basePath } from "@portcullis/contract/api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { document, operationFor } from "../../../testing/conformity.ts";
import { startGateway, type TestGateway } from "../../../testing/gateway.ts";

let gateway: TestGateway;
beforeAll(async () => void (gateway = await startGateway()));
afterAll(() => gateway[Symbol.asyncDispose]());

const places = Object.entries(document.paths).flatMap(([path, operations]) =>
  Object.keys(operations).map((method) => ({ method: method.toUpperCase(), path })),
);

/** Valid values of path parameters for which no resource exists. */
const filled = (path: string) =>
  path
    .replace("/snapshots/{id}", "/snapshots/999999")
    .replace("{id}", "01890000-0000-7000-8000-000000000000")
    .replace("{key}", "no_such_key")
    .replace("{type}", "tunnel");

describe("routes: every operation of the document is answered by its endpoint", () => {
  test.each(places)("$method $path", async ({ method, path }) => {
    const answer = await fetch(`${gateway.origin}${filled(path)}`, {
      method,
      headers: method === "GET" ? {} : { "content-type": "application/json" },
    });
    const found = { status: answer.status, text: answer.body && answer.ok ? "" : await answer.text() };
    await answer.body?.cancel().catch(() => {}); // An answer read to its end cannot be cancelled, and need not be.
    expect(found.status).not.toBe(405);
    expect(found.text).not.toContain("No endpoint has this path");
  });
});

test("routes: a path that is not in the document has no endpoint", async () => {
  const { status, text } = await gateway.request("GET", "/no-such-thing");
  expect({ status, text }).toMatchObject({ status: 404, text: expect.stringContaining("No endpoint has this path") });
});

test("routes: a method that is not in the document is refused, with those that are", async () => {
  const lacking = Object.entries(document.paths).flatMap(([path, operations]) =>
    ["GET", "POST", "PUT", "DELETE", "PATCH"]
      // Not in this template, nor in another one that covers it as /secrets/{id} covers /secrets/set-passphrase.
      .filter((method) => operationFor(method, filled(path)) === undefined)
      .map((method) => ({ method, path, operations })),
  );
  expect(lacking.length).toBeGreaterThan(places.length);
  for (const { method, path, operations } of lacking) {
    const answer = await gateway.request(method, filled(path).slice(basePath.length));
    expect([method, path, answer.status, answer.json().error.code]).toEqual([method, path, 405, "method_not_allowed"]);
    const allowed = Object.keys(operations).map((it) => it.toUpperCase());
    const alsoHead = allowed.includes("GET") ? [...allowed, "HEAD"] : allowed;
    expect(answer.headers.get("allow")!.split(", ")).toEqual(expect.arrayContaining([...alsoHead, "OPTIONS"]));
    expect(answer.headers.get("allow")!.split(", ")).not.toContain(method);
  }
});
