import { because, explained } from "@portcullis/contract/reason";
import { expect, test } from "vitest";
import { startGateway } from "../../../../testing/gateway.ts";

const config = { network: { wan_iface: "eth0", lan_iface: "eth1", more_lan_ifaces: ["eth1.10"] } };

test("router advertisements: interfaces are replaced as a whole, audited, and restored by a rollback", async () => {
  await using before = await startGateway({ config });
  expect(await before.client.routerAdvertisements.get()).toEqual({ interfaces: [] });
  const wanted = [{ interface: "eth1" }, { interface: "eth1.10", lifetime_sec: 600 }];
  const { interfaces } = await before.client.routerAdvertisements.put({ body: { interfaces: wanted } });
  // The dataplane of this gateway is off, and the response says so.
  const off = { status: "off", ...explained(because("dataplane_off")), prefixes: [], resolvers: [] };
  expect(interfaces).toEqual([
    { ...wanted[0], lifetime_sec: 1800, ...off },
    { ...wanted[1], ...off },
  ]);
  await using gateway = await before.restart();
  const { routerAdvertisements, audit, changes, snapshots } = gateway.client;
  expect(await routerAdvertisements.get()).toEqual({ interfaces });
  const { id } = (await changes.show()).applied;
  expect(await routerAdvertisements.put({ body: { interfaces: [] } })).toEqual({ interfaces: [] });
  const action = "update_router_advertisements";
  expect((await audit.list()).items.map((it) => it.action)).toEqual([action, action]);
  await snapshots.rollback({ body: { snapshot: id } });
  expect((await routerAdvertisements.get()).interfaces).toHaveLength(2);
});

test.each([
  ["must be a LAN interface of the gateway: eth1, eth1.10; not eth0", [{ interface: "eth1" }, { interface: "eth0" }]],
  ["must name eth1 once only", [{ interface: "eth1" }, { interface: "eth1", lifetime_sec: 600 }]],
  ["must be >= 120", [{ interface: "eth1", lifetime_sec: 60 }]],
])("router advertisements: an interface is refused: %s", async (complaint, interfaces) => {
  await using gateway = await startGateway({ config });
  const { routerAdvertisements } = gateway.client;
  const refused = await routerAdvertisements.put({ body: { interfaces } }).catch((problem: Error) => problem.message);
  expect(refused).toContain(complaint);
  expect(await routerAdvertisements.get()).toEqual({ interfaces: [] });
});
