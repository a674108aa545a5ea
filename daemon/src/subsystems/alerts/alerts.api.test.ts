import { because } from "@portcullis/contract/reason";
import { afterAll, beforeAll, expect, test } from "vitest";
import { alertAt, alertId, folderWith } from "../../../../testing/earlier-state.ts";
import { startGateway, type TestGateway } from "../../../../testing/gateway.ts";
import type { StoredAlert } from "./alerts.machine.ts";

const nowMs = Date.parse("2026-10-01T12:00:00Z");
const reason = because("alert_drift", { first: "table", items: 2 });

/* A gateway that an earlier daemon left with alerts. */
let gateway: TestGateway;
beforeAll(async () => {
  const alerts: StoredAlert[] = [
    { ...alertAt(nowMs, 1, reason), resolved: { ms: nowMs - 1000, by: "system" } },
    alertAt(nowMs, 2, reason),
    {
      ...alertAt(nowMs, 3, reason),
      rule: "new-device",
      severity: "info",
      resource: { type: "device", id: "02:00:00:00:00:07", name: "tv" },
    },
    { ...alertAt(nowMs, 4, reason), rule: "tunnel-down", resource: { type: "tunnel", id: alertId(9), name: "Oslo" } },
  ];
  gateway = await startGateway({ folder: folderWith({ alerts }), now: () => new Date(nowMs) });
});
afterAll(() => gateway[Symbol.asyncDispose]());

const request = (method: string, path: string, body?: object) => gateway.request(method, path, body ? { body } : {});
const listed = async (query = "") => (await request("GET", `/alerts${query}`)).json();
const numbersOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => Number(id.at(-1)));

test("alerts: they are listed newest first, by pages, state, severity and rule; active ones by themselves", async () => {
  expect(numbersOf(await listed())).toEqual([4, 3, 2, 1]);
  expect((await listed())[1]).toMatchObject({
    resource_type: "device",
    resource_id: "02:00:00:00:00:07",
    resource_name: "tv",
  });
  const page = await request("GET", "/alerts?limit=3");
  const cursor = /[?&]cursor=([^&>]+)/.exec(page.headers.get("link") ?? "")?.[1];
  expect(numbersOf(await listed(`?limit=3&cursor=${cursor}`))).toEqual([1]);
  expect(numbersOf(await listed("?severity=info"))).toEqual([3]);
  expect(numbersOf(await listed("?rule=tunnel-down"))).toEqual([4]);
  // The tunnel is observed anew after the start.
  expect(numbersOf(await listed("?state=resolved"))).toEqual([4, 1]);
  expect(await listed("?rule=tunnel-down")).toMatchObject([{ resolved_by: "restart" }]);
  expect(numbersOf((await request("GET", "/alerts/active")).json())).toEqual([3, 2]);
});

test("alerts: acknowledging and resolving are audited, and are refused for a resolved alert", async () => {
  const acknowledged = await request("POST", `/alerts/${alertId(2)}/acknowledge`);
  expect(acknowledged.json()).toMatchObject({ state: "acknowledged", acknowledged_at: "2026-10-01T12:00:00.000Z" });
  expect(numbersOf(await listed("?state=acknowledged"))).toEqual([2]);
  const resolved = await request("POST", `/alerts/${alertId(2)}/resolve`);
  expect(resolved.json()).toMatchObject({ state: "resolved", resolved_at: "2026-10-01T12:00:00.000Z" });
  const again = await request("POST", `/alerts/${alertId(2)}/resolve`);
  expect([again.status, again.json().error.code]).toEqual([409, "conflict"]);
  expect((await request("POST", `/alerts/${alertId(8)}/resolve`)).status).toBe(404);
  for (const verb of ["acknowledge", "resolve"])
    expect((await request("GET", `/audit?action=${verb}_alert`)).json()).toMatchObject([{ resource_id: alertId(2) }]);
});

test("alerts: rules have defaults, are changed one field at a time, and outlive a restart", async () => {
  const rules = (await request("GET", "/alerts/rules")).json();
  expect(rules).toHaveLength(13);
  expect(rules[0]).toEqual({
    id: "leak-detected",
    enabled: true,
    severity: "critical",
    threshold: 1,
    window_sec: 3600,
    cooldown_sec: 300,
    muted_until: null,
    muted_resources: [],
    ends: "event",
  });
  const changed = await request("PUT", "/alerts/rules/leak-detected", { severity: "warning" });
  expect(changed.json()).toEqual({ ...rules[0], severity: "warning" });
  await request("PUT", "/alerts/rules/leak-detected", { threshold: 3 });
  expect((await request("PUT", "/alerts/rules/port-scans", { threshold: 3 })).status).toBe(400);
  expect((await request("PUT", "/alerts/rules/leak-detected", { threshold: 0 })).status).toBe(400);
  gateway = await gateway.restart();
  expect((await request("GET", "/alerts/rules")).json()[0]).toEqual({ ...rules[0], severity: "warning", threshold: 3 });
  expect(numbersOf(await listed())).toEqual([4, 3, 2, 1]);
});
