import { expect, test } from "vitest";
import { stringify } from "yaml";
import { expectWithin, repeatable } from "../../../../testing/deadline.ts";
import { startGateway } from "../../../../testing/gateway.ts";

const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
const hex = (number: number) => number.toString(16).padStart(2, "0");

const document = {
  owner: "home",
  device_groups: many(20, (index) => ({ name: `group ${index}` })),
  devices: many(380, (index) => ({
    name: `device ${index}`,
    mac: `02:00:00:00:${hex(index >> 8)}:${hex(index & 255)}`,
    group_ids: [`group ${index % 20}`],
  })),
  routing_policies: many(200, (index) => ({
    name: `policy ${index}`,
    source_type: "device",
    source_value: `device ${index}`,
    priority: index,
  })),
  dns_filter_rules: many(200, (index) => ({
    name: `rule ${index}`,
    action: "block",
    match: "suffix",
    pattern: `a${index}.example`,
  })),
  dns_block_entries: many(200, (index) => ({ domain: `b${index}.example` })),
};

test("configuration: a document with 1,000 resources is validated in a second, and unchanged the second time", {
  ...repeatable,
  tags: "proof",
}, async () => {
  await using gateway = await startGateway();
  const send = async (path: string, body: unknown = document) => {
    const startedAt = performance.now();
    const headers = { "content-type": typeof body === "string" ? "application/yaml" : "application/json" };
    const reply = await gateway.request("POST", path, { body, headers });
    return { plan: reply.json(), sec: (performance.now() - startedAt) / 1000 };
  };
  await send("/validate", { owner: "home" }); // Compiles the schemas.
  const validated = await send("/validate");
  const yaml = await send("/validate", stringify(document));
  const before = (await gateway.client.changes.show()).applied.id;
  const applied = await send("/apply");
  const after = (await gateway.client.changes.show()).applied.id;
  const again = await send("/apply");
  for (const { plan } of [validated, yaml, applied]) expect(plan.summary).toMatchObject({ create: 1000, unchanged: 0 });
  expect(again.plan).toMatchObject({ result: "unchanged", summary: { unchanged: 1000 } });
  expect([after, (await gateway.client.changes.show()).applied.id]).toEqual([String(Number(before) + 1), after]);
  process.stdout.write(
    `1,000 resources: validated in ${validated.sec.toFixed(2)} s, as YAML ${yaml.sec.toFixed(2)} s, applied ${applied.sec.toFixed(2)} s, again ${again.sec.toFixed(2)} s\n`,
  );
  expectWithin(1, { "a validation": validated.sec });
});
