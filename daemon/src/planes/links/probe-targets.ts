import { parseAddress, parseNetwork } from "../../net/addresses.ts";
import type { Compiled } from "../inputs.ts";
import { outerHopOf } from "../../compiler/links/links.ts";
import type { Link } from "../../compiler/input/facts.ts";
import type { IntentTunnel } from "../../compiler/input/intent.ts";
import { firstHost } from "../../compiler/input/read-links.ts";
import { egressNumber } from "../../compiler/egress/kernel-ids.ts";
import { routedMark } from "../../engines/nftables/marks.model.ts";
import { directEgress } from "../../engines/nftables/nftables.model.ts";
import type { MonitoredLink } from "../../health/health.ts";
import type { UplinkPlan } from "../../health/uplinks.ts";

/** Every link that is probed: tunnels, upstream proxies and uplinks. */
export const probeTargetsOf = (compiled: Compiled): MonitoredLink[] => [
  ...compiled.intent.tunnels.map((it) => tunnelTarget(it, compiled)),
  ...compiled.desired.redirect.redirectors.map((it) => proxyTarget(it, compiled)),
  ...uplinkTargets(compiled),
];

function tunnelTarget(tunnel: IntentTunnel, { facts, kernelIds }: Compiled): MonitoredLink {
  const { id, name, interface: device, enabled } = tunnel;
  const link = facts.links.find((it) => it.name === device);
  return {
    key: id,
    name,
    device,
    present: link?.up === true,
    wanted: enabled,
    inUse: facts.hops.some(({ own }) => own?.id === id),
    mark: routedMark(egressNumber(device, kernelIds)),
    ...tunnelProbes(tunnel, link),
  };
}

/** The other end of a tunnel is often the first address of its network. Finding out sends no packet beyond it. */
function tunnelProbes(
  { probeTargets, fallbackTargets = [], probing }: IntentTunnel,
  link: Link | undefined,
): Pick<MonitoredLink, "targets" | "fallbackTargets" | "isUnprobed"> {
  if (probing !== undefined) return { targets: probeTargets, ...(probing === "none" && { isUnprobed: true }) };
  const own = new Set(link?.addresses);
  const farEnds = (link?.networks ?? [])
    .flatMap((it) => parseNetwork(it) ?? [])
    .map(firstHost)
    .filter((it) => !own.has(it) && !it.startsWith("fe80:"));
  return { targets: [...new Set([...probeTargets, ...farEnds])].slice(0, 3), fallbackTargets };
}

/**
 * An upstream proxy. It is probed through its outer hop, with that hop's address: such a connection can leave by that hop only, even
 * while the rules for the server are being removed.
 */
function proxyTarget(
  { name: id, interface: device, mark, server }: Compiled["desired"]["redirect"]["redirectors"][number],
  { intent, facts }: Compiled,
): MonitoredLink {
  const isInside = outerHopOf(id, facts) !== undefined;
  const link = facts.links.find((it) => it.name === device);
  const from = isInside ? link?.addresses?.find((it) => canReach(it, server.address)) : undefined;
  return {
    key: id,
    name: intent.proxies.find((it) => it.id === id)?.name ?? id,
    device,
    present: link?.up === true && (!isInside || from !== undefined),
    // A server is not contacted before a policy decides through which hops.
    wanted: facts.hops.some(({ own }) => own?.id === id),
    inUse: true,
    mark,
    targets: [],
    server: { ...server, ...(from !== undefined && { localAddress: from }) },
  };
}

const canReach = (own: string, server: string): boolean =>
  parseAddress(own)?.family === parseAddress(server)?.family && !own.startsWith("fe80:");

/** The key of an uplink is its interface; no tunnel has such an id. */
export const uplinkKey = (name: string): string => name;

function uplinkTargets({ intent: { network, uplinks }, facts, kernelIds }: Compiled): MonitoredLink[] {
  return (uplinks.isProbed ? uplinks.list : []).map(({ name, interface: device, enabled, targets }) => ({
    key: uplinkKey(device),
    name,
    device,
    present: facts.links.some((link) => link.name === device && link.up),
    wanted: enabled,
    // There is no alternative to a single uplink: it is probed less often.
    inUse: network.uplinks.length > 1,
    mark: routedMark(network.uplinks.length > 1 ? egressNumber(device, kernelIds) : directEgress),
    targets,
  }));
}

export const uplinkPlan = ({ intent: { uplinks } }: Compiled): UplinkPlan => ({
  mode: uplinks.mode,
  ...(uplinks.chosen !== null && { chosen: uplinks.chosen }),
  uplinks: uplinks.list
    .filter(({ enabled }) => enabled)
    .map(({ name, interface: device, priority }) => ({
      name,
      interface: device,
      priority,
      key: uplinkKey(device),
    })),
});
