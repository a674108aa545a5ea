import { expect, test } from "vitest";
import { startGateway } from "../../../../testing/gateway.ts";

const config = { network: { wan_iface: "eth0", lan_iface: "eth1", more_lan_ifaces: ["eth2", "eth3"] } };

test("segments: each LAN interface is one, found by interface or name, audited, and restored by a rollback", async () => {
  await using before = await startGateway({ config });
  const fresh = await before.client.segments.list();
  expect(fresh.map((it) => [it.interface, it.name, it.reaches])).toEqual([
    ["eth1", "eth1", []],
    ["eth2", "eth2", []],
    ["eth3", "eth3", []],
  ]);
  await before.client.segments.update({ params: { segment: "eth2" }, body: { name: "Guests" } });
  const body = { name: "Home", reaches: ["guests", "eth3", "eth2"] };
  const changed = await before.client.segments.update({ params: { segment: "eth1" }, body });
  expect(changed).toMatchObject({ interface: "eth1", name: "Home", reaches: ["Guests", "eth3"] });
  await using gateway = await before.restart();
  const { segments, audit, changes, snapshots } = gateway.client;
  const { id } = (await changes.show()).applied;
  // A field that is not given is kept, and a new name is shown wherever the segment is named.
  await segments.update({ params: { segment: "GUESTS" }, body: { name: "Visitors" } });
  expect(await segments.get({ params: { segment: "home" } })).toEqual({ ...changed, reaches: ["Visitors", "eth3"] });
  const actions = (await audit.list()).items.map(({ action }) => action);
  expect(actions).toEqual(["update_segment", "update_segment", "update_segment"]);
  await snapshots.rollback({ body: { snapshot: id } });
  expect(await segments.get({ params: { segment: "eth1" } })).toEqual(changed);
});

test.each([
  ["must name other segments: Guests (eth2), eth3; not eth0", "eth1", { reaches: ["eth0"] }],
  ["must name other segments: Guests (eth2), eth3; not eth1", "eth1", { reaches: ["eth1"] }],
  ["Another segment is called guests", "eth1", { name: "guests" }],
  ["Another segment is called eth3", "eth1", { name: "eth3" }],
  ["No segment has this name or interface. Segments: eth1, Guests (eth2), eth3", "eth0", { name: "Home" }],
])("segments: refused: %s", async (complaint, segment, body) => {
  await using gateway = await startGateway({ config });
  const { segments } = gateway.client;
  await segments.update({ params: { segment: "eth2" }, body: { name: "Guests" } });
  const before = await segments.list();
  const refused = await segments.update({ params: { segment }, body }).catch((problem: Error) => problem.message);
  expect(refused).toContain(complaint);
  expect(await segments.list()).toEqual(before);
});
