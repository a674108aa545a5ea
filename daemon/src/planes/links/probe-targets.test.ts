import { expect, test } from "vitest";
import { compiledFrom as compiledWith } from "../../../../testing/compiled.ts";
import { network, policy, proxy, proxyHop, tunnel, vpn } from "../../../../testing/intent.ts";
import type { ObservedState } from "../../compiler/input/facts.ts";
import type { Intent } from "../../compiler/input/intent.ts";
import { egressNumber } from "../../compiler/egress/kernel-ids.ts";
import { routedMark } from "../../engines/nftables/marks.model.ts";
import { directEgress } from "../../engines/nftables/nftables.model.ts";
import { probeTargetsOf, uplinkPlan } from "./probe-targets.ts";

const uplink = (name: string, priority: number, enabled = true) => ({
  name: `line ${name}`,
  interface: name,
  priority,
  enabled,
  targets: ["192.0.2.53"],
});

const compiledFrom = (over: Partial<Intent>, links: ObservedState["links"] = []) =>
  compiledWith(over, { observed: { links } });

test("probe targets: each tunnel is probed through itself, and more often when a policy uses it", () => {
  const tunnels = [tunnel("nl", { probeTargets: ["10.64.0.1"] }), tunnel("off", { enabled: false })];
  const policies = [policy("p", { hops: vpn("nl") })];
  const compiled = compiledFrom({ tunnels, policies }, [{ name: "wg-nl", up: true }]);
  expect(probeTargetsOf(compiled)).toMatchObject([
    {
      key: "id of nl",
      device: "wg-nl",
      present: true,
      wanted: true,
      inUse: true,
      mark: routedMark(egressNumber("wg-nl", compiled.kernelIds)),
      targets: ["10.64.0.1"],
    },
    { key: "id of off", present: false, wanted: false, inUse: false },
  ]);
});

const inside = [policy("p", { hops: [...vpn("nl"), proxyHop("office")] })];

test("probe targets: a tunnel's far end comes before public servers; a configured target is the only one; none disables probes", () => {
  const links = [
    { name: "wg-nl", up: true, addresses: ["10.9.0.2", "fe80::1"], networks: ["10.9.0.0/24", "fe80::/64"] },
  ];
  const probes = (over: Parameters<typeof tunnel>[1]) => {
    const { targets, fallbackTargets, isUnprobed } = probeTargetsOf(
      compiledFrom({ tunnels: [tunnel("nl", over)] }, links),
    )[0]!;
    return { targets, fallbackTargets, isUnprobed };
  };
  expect(probes({ probeTargets: ["10.64.0.1"], fallbackTargets: ["1.1.1.1"] })).toEqual({
    targets: ["10.64.0.1", "10.9.0.1"],
    fallbackTargets: ["1.1.1.1"],
  });
  expect(probes({ probeTargets: ["10.64.0.7"], probing: "given" })).toEqual({ targets: ["10.64.0.7"] });
  expect(probes({ probeTargets: [], probing: "none" })).toEqual({ targets: [], isUnprobed: true });
});

test("probe targets: a proxy's server is probed through its outer hop; a proxy that cannot run is not probed", () => {
  const proxies = [proxy("office"), proxy("second", { at: { host: "unknown.example", port: 1080 } })];
  const links = [{ name: "wg-nl", up: true, addresses: ["fe80::1", "fd00::2", "10.9.0.2"] }];
  const compiled = compiledFrom({ tunnels: [tunnel("nl")], proxies, policies: inside }, links);
  expect(probeTargetsOf(compiled).filter(({ server }) => server)).toEqual([
    {
      key: "id of office",
      name: "office",
      device: "wg-nl",
      present: true,
      wanted: true,
      inUse: true,
      mark: routedMark(egressNumber("wg-nl", compiled.kernelIds)),
      targets: [],
      server: { address: "192.0.2.80", port: 1080, localAddress: "10.9.0.2" },
    },
  ]);
});

test("probe targets: a proxy inside a hop without an address is not probed: the probe would leave with another address", () => {
  const proxyTargets = (links: ObservedState["links"], policies = inside) =>
    probeTargetsOf(compiledFrom({ tunnels: [tunnel("nl")], proxies: [proxy("office")], policies }, links)).filter(
      ({ server }) => server,
    );
  const addressed = (...addresses: string[]) => [{ name: "wg-nl", up: true, addresses }];
  expect(proxyTargets(addressed("10.9.0.2"))).toMatchObject([{ present: true }]);
  expect(proxyTargets(addressed())).toMatchObject([{ present: false }]);
  expect(proxyTargets(addressed("fd00::2"))).toMatchObject([{ present: false }]);
  // A first hop is called by the uplink, whichever that is.
  const uplink = [{ name: "wan0", up: true, addresses: ["192.0.2.7"] }];
  const [first] = proxyTargets(uplink, [policy("p", { hops: [proxyHop("office")] })]);
  expect(first).toMatchObject({ present: true, device: "wan0" });
  expect(first!.server).toEqual({ address: "192.0.2.80", port: 1080 });
});

test("probe targets: each of several uplinks is probed by its own egress; a single one less often, by the direct egress", () => {
  const list = [uplink("wan0", 1), uplink("wan1", 2), uplink("wan2", 3, false)];
  const several = compiledFrom({
    network: { ...network, uplinks: ["wan0", "wan1"] },
    uplinks: { isProbed: true, mode: "auto", chosen: null, list },
  });
  expect(probeTargetsOf(several)).toMatchObject([
    { key: "wan0", name: "line wan0", inUse: true, mark: routedMark(egressNumber("wan0", several.kernelIds)) },
    { key: "wan1", inUse: true, mark: routedMark(egressNumber("wan1", several.kernelIds)), targets: ["192.0.2.53"] },
    { key: "wan2", wanted: false },
  ]);
  const single = compiledFrom({ uplinks: { isProbed: true, mode: "manual", chosen: null, list: [uplink("wan0", 1)] } });
  expect(probeTargetsOf(single)).toMatchObject([{ key: "wan0", inUse: false, mark: routedMark(directEgress) }]);
  const unprobed = compiledFrom({
    uplinks: { isProbed: false, mode: "manual", chosen: null, list: [uplink("wan0", 1)] },
  });
  expect(probeTargetsOf(unprobed)).toEqual([]);
});

test("uplink plan: the enabled uplinks, and the operator's choice if there is one", () => {
  const list = [uplink("wan0", 1), uplink("wan2", 3, false)];
  expect(uplinkPlan(compiledFrom({ uplinks: { isProbed: true, mode: "auto", chosen: null, list } }))).toEqual({
    mode: "auto",
    uplinks: [{ name: "line wan0", interface: "wan0", priority: 1, key: "wan0" }],
  });
  expect(
    uplinkPlan(compiledFrom({ uplinks: { isProbed: true, mode: "manual", chosen: "line wan0", list } })),
  ).toMatchObject({
    chosen: "line wan0",
  });
});
