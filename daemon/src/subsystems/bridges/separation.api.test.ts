import fc from "fast-check";
import { expect, test } from "vitest";
import { startGateway } from "../../../../testing/gateway.ts";
import { announceSeed } from "../../../../testing/seed.ts";

const seed = announceSeed("bridges and uplinks");
const lan = ["br0", "eth1"];
const config = { network: { wan_iface: "eth0", lan_iface: "br0", more_lan_ifaces: ["eth1"] } };

const link = fc.constantFrom("eth0", "eth1", "eth2", "eth3", "eth4", "br0", "br1");
const fields = { members: fc.uniqueArray(link, { maxLength: 3 }), enabled: fc.boolean(), interface: link };
const which = fc.nat({ max: 3 });
const wish = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("create" as const), body: fc.record(fields) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("update" as const),
      which,
      body: fc.record(fields, { requiredKeys: [], noNullPrototype: true }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("toggle" as const), which }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("remove" as const), which }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("uplinks" as const),
      links: fc.uniqueArray(link, { maxLength: 3 }).map((more) => [...new Set(["eth0", ...more])]),
    }),
  },
);

type Wish = typeof wish extends fc.Arbitrary<infer T> ? T : never;

test("bridges: with any requests, no uplink is a port, no port is in two bridges, and the LAN bridge stays", async () => {
  await using gateway = await startGateway({ config });
  const { bridges, uplinks } = gateway.client;
  let serial = 0;

  async function perform(it: Wish): Promise<unknown> {
    const all = (await bridges.list()).items;
    if (it.kind === "create") return bridges.create({ body: { name: `bridge ${(serial += 1)}`, ...it.body } });
    if (it.kind === "uplinks")
      return uplinks.put({ body: { uplinks: it.links.map((name) => ({ name, interface: name })) } });
    const id = all[it.which]?.id;
    if (id === undefined) return undefined;
    if (it.kind === "update") return bridges.update({ params: { id }, body: it.body });
    return it.kind === "toggle" ? bridges.toggle({ params: { id } }) : bridges.remove({ params: { id } });
  }
  const codes: string[] = [];
  let forwarded = 0;
  for (const it of fc.sample(wish, { numRuns: 300, seed })) {
    const forwardsLan = (await bridges.list()).items.filter((b) => b.enabled && lan.includes(b.interface));
    codes.push(
      await perform(it).then(
        () => "accepted",
        ({ code }: { code: string }) => code,
      ),
    );
    const all = (await bridges.list()).items;
    const ports = all.flatMap(({ members }) => members);
    const out = (await uplinks.get()).uplinks.map((uplink) => uplink.interface);
    const behindGate = [...out, ...all.map((bridge) => bridge.interface)];
    expect(ports.filter((port, place) => behindGate.includes(port) || ports.indexOf(port) !== place)).toEqual([]);
    expect(all.filter(({ enabled }) => enabled).flatMap(({ members }) => members)).not.toContain("eth1");
    expect([out.includes("eth0"), out.filter((name) => lan.includes(name))]).toEqual([true, []]);
    const still = all.filter(({ enabled }) => enabled).map((bridge) => bridge.interface);
    expect(still).toEqual(expect.arrayContaining(forwardsLan.map((bridge) => bridge.interface)));
    forwarded += forwardsLan.length;
  }
  // Enough of it was allowed, and enough refused, for the promise to mean something.
  expect(codes.filter((code) => code === "accepted").length).toBeGreaterThan(30);
  expect(codes.filter((code) => code === "conflict").length).toBeGreaterThan(30);
  expect([forwarded > 0, [...new Set(codes)].toSorted()]).toEqual([true, ["accepted", "conflict"]]);
});
