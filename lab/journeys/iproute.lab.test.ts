import { expect, test } from "vitest";
import { isBlockedOnly } from "../../daemon/src/engines/iproute/iproute.diff.ts";
import { iproute } from "../../daemon/src/engines/iproute/iproute.engine.ts";
import { lastMetric, type Routing } from "../../daemon/src/engines/iproute/iproute.model.ts";
import { readIp } from "../../daemon/src/system/iplisting.ts";
import { openLab } from "../namespaces.ts";
import { systemOn } from "../system.ts";

test("rules and routes settle, drift is seen, others' are left alone, and all of ours can go", async () => {
  await using lab = openLab();
  const gateway = await lab.host("gw");
  const outside = await lab.host("out");
  await lab.cable(
    { host: gateway, device: "wan0", addresses: ["198.51.100.2/24", "2001:db8::2/64"] },
    { host: outside, device: "eth0", addresses: [] },
  );
  await gateway.run("ip", "rule", "add", "priority", "500", "lookup", "99");
  const system = systemOn(gateway);
  const engine = iproute({ system, listing: { read: () => readIp(system), invalidate: () => {} } });
  const desired: Routing = {
    rules: ([4, 6] as const).flatMap((family) => [
      { family, priority: 7002, mark: { value: 0x8000_0002, mask: 0x8000_00ff }, action: { lookup: 7002 } },
      { family, priority: 7000, mark: { value: 0, mask: 0x8000_0000 }, action: { goto: 7999 } },
      { family, priority: 7950, users: [1_900_001_080, 1_900_001_080], action: { lookup: 7002 } },
      { family, priority: 7955, iif: "lo", icmp: [3, 4] as const, action: "prohibit" as const },
      { family, priority: 7999, iif: "wan0", action: "prohibit" as const },
    ]),
    routes: [
      { family: 4, table: 7002, to: "default", metric: lastMetric, nextHop: "unreachable" },
      { family: 6, table: 7002, to: "default", metric: lastMetric, nextHop: "unreachable" },
      { family: 4, table: 7002, to: "default", metric: 10, nextHop: { device: "wan0", via: "198.51.100.1" } },
      { family: 6, table: 7002, to: "default", metric: 10, nextHop: { device: "wan0", via: "2001:db8::1" } },
    ],
  };
  const pending = async (wanted: Routing) => engine.changes(wanted, await engine.observe());

  const first = await pending(desired);
  expect(first.map(({ line }) => line.split(" ").slice(0, 3).join(" ")).slice(0, 2)).toEqual([
    "route add unreachable",
    "route add unreachable",
  ]);
  await engine.apply(first);
  expect(await pending(desired)).toEqual([]);

  await gateway.run("ip", "rule", "del", "priority", "7002");
  await gateway.run("ip", "route", "flush", "table", "7002");
  expect((await pending(desired)).map(({ line }) => line)).toEqual([
    `route add unreachable default table 7002 metric ${lastMetric}`,
    "rule add priority 7002 from all fwmark 0x80000002/0x800000ff lookup 7002",
    "route replace default via 198.51.100.1 dev wan0 table 7002 metric 10",
  ]);
  await engine.apply(await pending(desired));
  expect(await pending(desired)).toEqual([]);

  const state = async () => {
    const changes = await pending(desired);
    return { drift: engine.drift(changes, await engine.observe()), isBlockedOnly: changes.map(isBlockedOnly) };
  };
  const ours = "default via 198.51.100.1 dev wan0 table 7002 metric 10";
  const replaced = "default via 198.51.100.9 dev wan0 table 7002 metric 10";
  await gateway.run("ip", "route", "replace", ...replaced.split(" "));
  expect(await state()).toMatchObject({ drift: [{ expected: ours, actual: replaced }], isBlockedOnly: [false] });
  await gateway.run("ip", "route", "del", ...replaced.split(" "));
  expect(await state()).toMatchObject({ drift: [{ expected: ours, actual: null }], isBlockedOnly: [true] });

  await engine.apply(await pending({ rules: [], routes: [] }));
  expect(await engine.observe()).toEqual({ rules: [], routes: [] });
  expect(await gateway.run("ip", "rule", "show")).toContain("500:");
});
