import { expect, test } from "vitest";
import { startGateway } from "../../../../testing/gateway.ts";

const config = { network: { wan_iface: "eth0", lan_iface: "eth1", more_lan_ifaces: ["eth1.10"] } };
const range = { interface: "eth1", first: "192.168.1.100", last: "192.168.1.199" };

test("DHCP: ranges are replaced as a whole, audited, and restored by a rollback", async () => {
  await using before = await startGateway({ config });
  expect(await before.client.dhcp.get()).toEqual({ ranges: [] });
  const other = { ...range, interface: "eth1.10", lease_sec: 600 };
  const { ranges } = await before.client.dhcp.put({ body: { ranges: [range, other] } });
  // The dataplane of this gateway is off, and the response says so.
  expect(ranges).toMatchObject([
    { ...range, lease_sec: 43_200, status: "off", reason: "The dataplane is off", gateway: null },
    { ...other, status: "off" },
  ]);
  await using gateway = await before.restart();
  const { dhcp, audit, changes, snapshots } = gateway.client;
  expect(await dhcp.get()).toEqual({ ranges });
  const { id } = (await changes.show()).applied;
  expect(await dhcp.put({ body: { ranges: [] } })).toEqual({ ranges: [] });
  expect((await audit.list()).items.map(({ action }) => action)).toEqual(["update_dhcp", "update_dhcp"]);
  await snapshots.rollback({ body: { snapshot: id } });
  expect((await dhcp.get()).ranges).toHaveLength(2);
  expect(await dhcp.leases()).toEqual([]);
});

test.each([
  ["must be a LAN interface of the gateway: eth1, eth1.10; not eth0", [{ ...range, interface: "eth0" }]],
  ["must not be before first, which is 192.168.1.100; not 192.168.1.9", [{ ...range, last: "192.168.1.9" }]],
  ["must be at most 65,535 addresses after 192.168.1.100", [{ ...range, last: "192.200.0.0" }]],
  ["use the interface eth1 twice; one range per interface", [range, range]],
  ["must be written as an IPv4 address", [{ ...range, first: "fd00::1" }]],
])("DHCP: a range is refused: %s", async (complaint, ranges) => {
  await using gateway = await startGateway({ config });
  const refused = await gateway.client.dhcp.put({ body: { ranges } }).catch((problem: Error) => problem.message);
  expect(refused).toContain(complaint);
  expect(await gateway.client.dhcp.get()).toEqual({ ranges: [] });
});
