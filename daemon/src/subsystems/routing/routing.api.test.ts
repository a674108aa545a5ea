import { describe, expect, test } from "vitest";
import { startGateway, type TestGateway } from "../../../../testing/gateway.ts";

const vpn = (target: string) => ({ type: "vpn" as const, target });
const refused = async (call: Promise<unknown>) =>
  call.then(
    () => "accepted",
    (problem: { code: string }) => problem.code,
  );

describe("policies: a policy", () => {
  test("has careful defaults, and a PUT keeps what it does not name", async () => {
    await using gateway = await startGateway();
    const { client } = gateway;
    const made = await client.routing.create({ body: { name: "everything", source_type: "all" } });
    expect(made).toMatchObject({
      priority: 100,
      enabled: true,
      hops: [],
      fail_policy: "fail-closed",
      splitting: false,
      profile_id: null,
    });
    const changed = await client.routing.update({ params: { id: made.id }, body: { priority: 5 } });
    expect(changed).toEqual({ ...made, priority: 5 });
    expect(await client.routing.get({ params: { id: made.id } })).toEqual(changed);
    expect((await client.routing.list({ query: { source_type: "subnet" } })).items).toEqual([]);
    expect(await client.routing.remove({ params: { id: made.id } })).toEqual({ id: made.id, deleted: true });
  });

  test.each([
    ["all", "", ""],
    ["interface", "eth1", "eth1"],
    ["vlan", "10", "10"],
    ["subnet", "10.1.2.3/8", "10.0.0.0/8"],
    ["subnet", "FD00:0:0::/16", "fd00::/16"],
    ["destination", "203.0.113.9", "203.0.113.9"],
    ["domain", "*.News.Example.ORG.", "news.example.org"],
  ] as const)("of source %s takes %j and keeps it as %j", async (source_type, source_value, kept) => {
    await using gateway = await startGateway();
    const made = await gateway.client.routing.create({ body: { name: "p", source_type, source_value } });
    expect(made.source_value).toBe(kept);
  });

  test.each([
    ["all", "10.0.0.0/8"],
    ["interface", "no/such"],
    ["vlan", "4095"],
    ["subnet", "10.0.0.0/33"],
    ["subnet", "somewhere"],
    ["device", "unknown"],
    ["device_group", "unknown"],
    ["domain", "not a name"],
  ] as const)("of source %s refuses %j and names the field", async (source_type, source_value) => {
    await using gateway = await startGateway();
    const answer = await gateway.request("POST", "/routing/policies", {
      body: { name: "p", source_type, source_value },
    });
    expect([answer.status, answer.json().error.details.fields[0].field]).toEqual([400, "body.source_value"]);
  });

  test("names a device or a group by name, keeps its id and shows both", async () => {
    await using gateway = await startGateway();
    const { client } = gateway;
    const device = await client.devices.create({ body: { name: "TV" } });
    const group = await client.deviceGroups.create({ body: { name: "Kitchen" } });
    const one = await client.routing.create({ body: { name: "a", source_type: "device", source_value: "TV" } });
    const many = await client.routing.create({
      body: { name: "b", source_type: "device_group", source_value: "Kitchen" },
    });
    expect([one.source_value, many.source_value]).toEqual([device.id, group.id]);
    await client.devices.update({ params: { id: device.id }, body: { name: "Television" } });
    const { items } = await client.routing.list();
    expect(items.map(({ source_name }) => source_name)).toEqual(["Television", "Kitchen"]);
    expect(await client.routing.toggle({ params: { id: one.id } })).toMatchObject({ source_name: "Television" });
    const net = { name: "c", source_type: "subnet", source_value: "10.0.0.0/8" } as const;
    expect(await client.routing.create({ body: net })).toMatchObject({ source_name: "10.0.0.0/8" });
  });

  test("has hops of its own or a profile's, and a profile in use stays", async () => {
    await using gateway = await startGateway();
    const { client } = gateway;
    const profile = await client.profiles.create({ body: { name: "abroad", hops: [vpn("nl")] } });
    const both = { name: "p", source_type: "all" as const, hops: [vpn("se")], profile_id: "abroad" };
    expect(await refused(client.routing.create({ body: both }))).toBe("invalid_request");
    await client.routing.create({ body: { ...both, hops: [] } });
    expect(await refused(client.profiles.remove({ params: { id: profile.id } }))).toBe("in_use");
    expect((await client.references.show({ params: { type: "profile", id: "abroad" } })).referenced_by).toEqual({
      routing_policies: 1,
    });
  });

  test("is switched with and without a body", async () => {
    await using gateway = await startGateway();
    const { client } = gateway;
    const { id } = await client.routing.create({ body: { name: "p", source_type: "all" } });
    const states: boolean[] = [];
    for (const body of [undefined, undefined, { enabled: false }, { enabled: false }])
      states.push((await client.routing.toggle({ params: { id }, ...(body && { body }) })).enabled);
    expect(states).toEqual([false, true, false, false]);
  });
});

test("policies: a contradiction is refused when staged or applied, and a shadowed policy is reported", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const first = await client.routing.create({
    body: { name: "a", source_type: "subnet", source_value: "10.0.0.0/8", priority: 10 },
  });
  const against = { name: "b", source_type: "subnet" as const, source_value: "10.1.0.0/16", hops: [vpn("nl")] };
  expect(await refused(client.routing.create({ body: { ...against, priority: 10 } }))).toBe("policy_conflict");
  const refusal = await gateway.request("POST", "/routing/policies", { body: { ...against, priority: 10 } });
  const { message, details } = refusal.json().error;
  const [{ policy_name, other_name }] = details.conflicts;
  expect(policy_name).toBe(against.name);
  for (const word of [JSON.stringify(against.name), JSON.stringify(other_name), "priority 10", "9 or 11"])
    expect(message).toContain(word);
  expect(details.free_priorities).toEqual([9, 11]);
  expect((await client.routing.list()).items).toHaveLength(1);

  const later = await client.routing.create({ body: { ...against, priority: 20 } });
  const findings = await client.policyViews.conflicts();
  expect(findings.map(({ kind, policy_id, other_id }) => [kind, policy_id, other_id])).toEqual([
    ["dangling", later.id, null],
    ["shadowed", later.id, first.id],
  ]);
  expect((await client.routing.apply()).findings).toEqual(findings);
});

describe("policies: an apply", () => {
  const published = async ({ client }: TestGateway) => {
    const { id } = (await client.changes.show()).applied;
    return (await client.snapshots.get({ params: { id } })).document["routing_policy"]!.map(({ name }) => name);
  };

  test("publishes what is staged; until then nothing of it is in force", async () => {
    await using gateway = await startGateway();
    const { client } = gateway;
    await client.routing.create({ body: { name: "p", source_type: "all" } });
    expect(await published(gateway)).toEqual([]);
    expect((await client.changes.show()).staged).toMatchObject([
      { kind: "routing_policy", name: "p", change: "added" },
    ]);
    expect(await client.routing.apply()).toMatchObject({ published: 1, confirm_until: null });
    expect(await published(gateway)).toEqual(["p"]);
    const again = await client.routing.apply();
    expect([again.published, again.snapshot.id]).toEqual([0, (await client.changes.show()).applied.id]);
  });

  test("without confirmation is reverted and leaves the edits staged", async () => {
    const clock = { now: Date.parse("2030-01-01T00:00:00Z") };
    await using before = await startGateway({ now: () => new Date(clock.now) });
    await before.client.routing.create({ body: { name: "p", source_type: "all" } });
    expect(await before.client.routing.apply({ query: { confirm_within: 60 } })).toMatchObject({
      confirm_until: "2030-01-01T00:01:00.000Z",
    });
    expect(await published(before)).toEqual(["p"]);
    expect(
      await refused(before.client.routing.create({ body: { name: "q", source_type: "vlan", source_value: "7" } })),
    ).toBe("change_pending");
    clock.now += 61_000;
    await using gateway = await before.restart();
    expect(await published(gateway)).toEqual([]);
    expect((await gateway.client.routing.list()).items).toMatchObject([{ name: "p" }]);
  });
});

describe("policies: the evaluator", () => {
  test("returns the egress of a device's packets with the reason, for published and staged policies and assumed states", async () => {
    await using gateway = await startGateway();
    const { client } = gateway;
    const tv = await client.devices.create({ body: { name: "TV", mac: "02:00:00:00:00:01", ips: ["10.0.0.2"] } });
    const passing = await client.routing.create({
      body: {
        name: "first choice",
        priority: 1,
        source_type: "device",
        source_value: "TV",
        hops: [vpn("nl")],
        fail_policy: "fail-over",
      },
    });
    const deciding = await client.routing.create({
      body: {
        name: "second choice",
        priority: 2,
        source_type: "subnet",
        source_value: "10.0.0.0/24",
        hops: [vpn("se")],
      },
    });
    const ask = (body: object) => client.policyViews.evaluate({ body: { device_id: "TV", ...body } });

    expect(await ask({})).toMatchObject({ outcome: "direct", policy_id: null, trace: [] });
    expect(await ask({ staged: true, hops_up: { nl: true } })).toMatchObject({
      outcome: "egress",
      interfaces: ["nl"],
      policy_id: passing.id,
    });
    expect(await ask({ staged: true, hops_up: { nl: false, se: true } })).toMatchObject({
      outcome: "egress",
      interfaces: ["se"],
      trace: [
        { name: "first choice", matched: true, decided: false },
        { name: "second choice", matched: true, decided: true },
      ],
    });
    expect(await ask({ staged: true, hops_up: { nl: false, se: false } })).toMatchObject({
      outcome: "block",
      policy_id: deciding.id,
    });

    await client.routing.apply();
    expect(
      await client.policyViews.evaluate({ body: { mac: "02-00-00-00-00-01", hops_up: { nl: true } } }),
    ).toMatchObject({ policy_id: passing.id });
    expect(await client.policyViews.failMatrix()).toMatchObject([
      { name: "first choice", when_down: "next" },
      { name: "second choice", when_down: "block" },
    ]);
    expect(await refused(client.policyViews.evaluate({ body: { device_id: "unknown" } }))).toBe("not_found");
    expect(tv.mac).toBe("02:00:00:00:00:01");
  });

  test("a class with require_tunnel blocks its devices without a matching policy", async () => {
    await using gateway = await startGateway();
    const { client } = gateway;
    await client.privacyClasses.create({ body: { name: "strict", require_tunnel: true } });
    await client.trustClasses.create({ body: { name: "staff", default_privacy_class: "strict" } });
    await client.devices.create({ body: { name: "own", mac: "02:00:00:00:00:01", privacy_class: "strict" } });
    await client.devices.create({ body: { name: "by trust", mac: "02:00:00:00:00:02", trust_class: "staff" } });
    await client.devices.create({ body: { name: "free", mac: "02:00:00:00:00:03" } });
    const outcomes = await Promise.all(
      ["own", "by trust", "free"].map(
        async (device_id) => (await client.policyViews.evaluate({ body: { device_id } })).outcome,
      ),
    );
    expect(outcomes).toEqual(["block", "block", "direct"]);
  });
});

test("policies: an interface is called by a name that can stand in a rule, in hops and as a source", async () => {
  await using gateway = await startGateway();
  const post = async (path: string, body: object) => (await gateway.request("POST", path, { body })).status;
  const names = [
    'w"}',
    "a b",
    'x" accept',
    "star*",
    "back\\",
    "new\nline",
    "nul\u0000",
    "$(reboot)x'",
    "..",
    "x".repeat(16),
  ];
  for (const [index, name] of ["eth0.10", ...names].entries()) {
    const status = index === 0 ? 201 : 400;
    const hops = [{ type: "interface", target: name }];
    expect([name, await post("/routing/policies", { name: `hop ${index}`, source_type: "all", hops })]).toEqual([
      name,
      status,
    ]);
    expect([name, await post("/profiles", { name: `profile ${index}`, hops })]).toEqual([name, status]);
    const source = { name: `source ${index}`, source_type: "interface", source_value: name };
    expect([name, await post("/routing/policies", source)]).toEqual([name, status]);
  }
});
