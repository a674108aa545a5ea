import { afterAll, beforeAll, expect, test } from "vitest";
import { startGateway, type TestGateway } from "../../../../testing/gateway.ts";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway[Symbol.asyncDispose]());

const send = async (path: string, body: unknown, at = gateway) => {
  const reply = await at.request("POST", path, { body });
  return { status: reply.status, body: reply.json() };
};
const auditCount = async () => (await gateway.client.audit.list({ query: { limit: 1 } })).total;

const home = {
  owner: "home",
  device_groups: [{ name: "kids", description: "Tablets" }],
  devices: [{ name: "tablet", mac: "02-00-00-AA-BB-01", group_ids: ["kids"] }],
  dns_filter_rules: [
    { name: "no games", action: "block", match: "suffix", pattern: "games.example", source_type: "device_group", source_value: "kids" },
  ],
  dns_block_entries: [{ domain: "Ads.Example." }],
  routing_policies: [{ name: "kids out", source_type: "device_group", source_value: "kids", priority: 10 }],
  dns_options: { rate_limit_qps: 50 },
};

test("configuration: a document is validated, applied once, and unchanged the second time without a write", async () => {
  const planned = await send("/validate", home);
  expect(planned.body).toMatchObject({
    result: "changes",
    summary: { create: 5, change: 1, delete: 0, unchanged: 0 },
    adopted: 5,
  });
  expect(await gateway.client.devices.list()).toMatchObject({ items: [] });
  const applied = await send("/apply", home);
  expect(applied.body).toMatchObject({ result: "changes", summary: planned.body.summary, changes: planned.body.changes });
  const [revision, audits] = [applied.body.snapshot.id, await auditCount()];
  for (const path of ["/validate", "/apply"]) {
    const again = await send(path, home);
    expect(again.body).toMatchObject({ result: "unchanged", changes: [], summary: { unchanged: 6 } });
  }
  expect((await gateway.client.changes.show()).applied.id).toBe(revision);
  expect(await auditCount()).toBe(audits);
});

test("export", async () => {
  const exported = (await gateway.request("GET", "/config/export")).json();
  console.log(JSON.stringify(exported, null, 1));
});
