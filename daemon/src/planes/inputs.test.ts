import { expect, test } from "vitest";
import { network, numbersFor, policy } from "../../../testing/intent.ts";
import { networkNow } from "./inputs.ts";
import { noLinks, outsideOf } from "../compiler/input/intent.ts";
import { decide, firstRank, unmatched } from "../compiler/policy/decide.ts";
import type { Resources } from "../compiler/input/read-document.ts";
import { compileGuard } from "../compiler/egress/steering.ts";
import { renderGuard } from "../engines/nftables/guard/guard.render.ts";

const uplink = (name: string, enabled: boolean) => ({ name, interface: name, priority: 1, enabled, probe_targets: [] });
const settings = (...uplinks: ReturnType<typeof uplink>[]) =>
  ({ uplinks: [{ wan_failover_mode: "manual", active: null, uplinks }] }) as unknown as Resources;
const now = (resources: Resources, active?: string) => networkNow(network, resources, { active: () => active });

test("network: a disabled uplink is not used, and is still outside", () => {
  expect(now(settings(uplink("wan0", false), uplink("wan1", true), uplink("wan2", false)))).toMatchObject({
    wan: "wan1",
    uplinks: ["wan1"],
    unused: ["wan0", "wan2"],
  });
  expect(now(settings(uplink("wan0", true), uplink("wan1", true)), "wan1")).toMatchObject({
    wan: "wan1",
    uplinks: ["wan0", "wan1"],
    unused: [],
  });
});

test("network: an uplink of the bootstrap file that is not configured is outside, unless it is a LAN now", () => {
  expect(now(settings(uplink("wan1", true), uplink("lan0", false)))).toMatchObject({
    uplinks: ["wan1"],
    unused: ["wan0"],
  });
});

test("network: without settings, the uplink is that of the bootstrap file", () => {
  const alone = now({ uplinks: [] } as unknown as Resources);
  expect(alone).toEqual(network);
  expect(outsideOf(alone)).toEqual(["wan0"]);
});

test("guard: protected packets do not leave by a disabled uplink either", () => {
  const kernelIds = numbersFor({ plans: [], egresses: [], domains: [], redirectors: [] });
  const innerHop = [{ address: "192.0.2.2", protocol: "udp" as const, port: 51_820 }];
  const gate = compileGuard({
    egresses: { egresses: [], splits: [] },
    network: now(settings(uplink("wan0", false), uplink("wan1", true))),
    servers: { firstHop: [], innerHop },
    inner: [],
    segments: { lanPairs: [], lanAddresses: [] },
    kernelIds,
    rescue: null,
  });
  const text = renderGuard(gate);
  expect(text).toContain(`ip daddr . meta l4proto . th dport @inner_hop_servers4 oifname { "wan1", "wan0" }`);
  expect(text).toContain(`iifname "lan0" oifname { "wan1", "wan0" } meta mark`);
  expect(gate.pairs).toEqual([]);
});

const vlan = (name: string, id: number, role: "lan" | "uplink", enabled = true) => ({
  id: name,
  name,
  parent: "port0",
  vlan_id: id,
  interface: name,
  addresses: [`10.${id}.0.1/24`],
  role,
  enabled,
});
const withVlans = (...vlans: ReturnType<typeof vlan>[]) =>
  ({ ...settings(uplink("wan0", true)), vlan: vlans }) as Resources;

test("network: a VLAN is a LAN before the kernel has it; a disabled one, one of a provider, and one that is an uplink are none", () => {
  const all = [
    vlan("lan0.10", 10, "lan"),
    vlan("lan0.20", 20, "lan", false),
    vlan("lan0.30", 30, "uplink"),
    vlan("wan0", 40, "lan"),
  ];
  expect(now(withVlans(...all))).toMatchObject({
    lan: ["lan0", "lan0.10"],
    vlans: [
      { interface: "lan0.10", parent: "port0", id: 10, addresses: ["10.10.0.1/24"] },
      { interface: "lan0.30" },
      { interface: "wan0" },
    ],
  });
  expect(now(withVlans())).not.toHaveProperty("vlans");
});

test("guard and steering: a VLAN has its rules, and its policies, before the kernel has its interface", () => {
  const resources = withVlans(vlan("guests", 10, "lan"));
  const policies = [policy("p1", { sourceType: "vlan", sourceValue: "10" })];
  const intent = { ...noLinks, network: now(resources), groups: [], devices: [], policies, exceptions: [] };
  const facts = { links: [{ name: "lan0", up: true }], hops: [] };
  const { byInterface } = decide(intent, facts);
  expect(byInterface.get("guests")).toBe(firstRank);
  expect(byInterface.get("lan0")).toBe(unmatched);
});
