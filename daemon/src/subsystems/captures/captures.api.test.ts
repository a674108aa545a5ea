import type { CapturePreset } from "@portcullis/contract/subsystems/captures";
import { captureLimits } from "@portcullis/contract/subsystems/captures";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startGateway, type TestGateway } from "../../../../testing/gateway.ts";

/* What is answered before tcpdump is needed; the rest is in lab/engines/captures.lab.test.ts. */
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway[Symbol.asyncDispose]());

const none = "8c5c4b8e-0000-4000-8000-000000000000";

test("captures: there are none at first, and 14 presets with different names and filters", async () => {
  expect((await gateway.request("GET", "/diagnostics/captures")).json()).toEqual([]);
  const presets = (await gateway.request("GET", "/diagnostics/capture/presets")).json() as CapturePreset[];
  expect(presets).toHaveLength(captureLimits.presets);
  for (const field of ["name", "filter"] as const)
    expect(new Set(presets.map((it) => it[field])).size).toBe(captureLimits.presets);
});

test("captures: an interface that does not exist is refused with those that do", async () => {
  const answer = await gateway.request("POST", "/diagnostics/capture", { body: { interface: "none0" } });
  expect(answer.status).toBe(400);
  expect(answer.json().error.details.fields).toMatchObject([
    { field: "body.interface", allowed: expect.arrayContaining(["lo"]) as unknown },
  ]);
});

test.each([
  [{ count: captureLimits.packets + 1 }, 409, "limit_reached"],
  [{ duration_sec: captureLimits.durationSec + 1 }, 409, "limit_reached"],
  [{ count: 0 }, 400, "invalid_request"],
  [{ filter: "udp\n" }, 400, "invalid_request"],
  [{ filter: "udp\0" }, 400, "invalid_request"],
  [{ filter: "x".repeat(1001) }, 400, "invalid_request"],
])("captures: %j is refused before anything is started", async (body, status, code) => {
  const answer = await gateway.request("POST", "/diagnostics/capture", { body: { interface: "lo", ...body } });
  expect([answer.status, answer.json().error.code]).toEqual([status, code]);
});

test.each([
  ["GET", ""],
  ["GET", "/stream"],
  ["GET", "/download"],
  ["GET", "/packets/1"],
  ["DELETE", ""],
])("captures: %s of one that does not exist%s is not found", async (method, end) => {
  expect((await gateway.request(method, `/diagnostics/capture/${none}${end}`)).status).toBe(404);
});
