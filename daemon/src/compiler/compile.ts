import {
  acceptLocalKey,
  arpAnnounceKey,
  arpIgnoreKey,
  icmpIntervalKey,
  reversePathKey,
  sendRedirectsKey,
} from "../engines/sysctl/sysctl.model.ts";
import type { Routing } from "../engines/iproute/iproute.model.ts";
import type { Guard, Ruleset } from "../engines/nftables/nftables.model.ts";
import type { ProtectedSources } from "../engines/nftables/sources/sources.model.ts";
import type { Proxies } from "../engines/nftables/redirect/redirect.model.ts";
import { hopServers, innerAddresses } from "./links/links.ts";
import type { Decisions } from "./policy/decide.ts";
import type { Facts } from "./input/facts.ts";
import type { Intent, Network } from "./input/intent.ts";
import type { KernelIds } from "./egress/kernel-ids.ts";
import { protectedSources } from "./egress/protected-senders.ts";
import { compileRedirect } from "./links/redirect.ts";
import { memoize, reuseEqual } from "./memoize.ts";
import { rescueOf } from "./egress/rescue.ts";
import { compileRouting } from "./egress/routing.ts";
import { type ResolverInstance, resolverInstancesOf } from "./dns/resolver-instances.ts";
import { compileGuard, steeringCompiler } from "./egress/steering.ts";
import type { Egresses } from "./egress/egresses.ts";

/**
 * What every engine should look like, as data, in the order they change: the gate first, so that whatever is half
 * done is shut; forwarding last.
 */
export interface Desired {
  readonly guard: Guard;
  /** What protects more, before steering. */
  readonly protection: ProtectedSources;
  readonly iproute: Routing;
  readonly redirect: Proxies;
  readonly steering: Ruleset;
  /** The same senders as `protection`. What protects less, after steering. */
  readonly release: ProtectedSources;
  readonly sysctl: Readonly<Record<string, string>>;
}

export const compile = (
  decisions: Decisions,
  intent: Intent,
  facts: Facts,
  ways: Egresses,
  kernelIds: KernelIds,
): Desired =>
  compiler()(decisions, intent, facts, resolverInstancesOf(intent, facts, ways, kernelIds), ways, kernelIds);

/** The whole gateway as one function: what was decided, around what there is → what each engine should be. */
export function compiler(): (
  decisions: Decisions,
  intent: Intent,
  facts: Facts,
  stacks: readonly ResolverInstance[],
  ways: Egresses,
  kernelIds: KernelIds,
) => Desired {
  const steer = steeringCompiler();
  const servers = memoize(hopServers);
  const inner = memoize(innerAddresses);
  const gate = memoize(compileGuard);
  const rescue = reuseEqual<NonNullable<Guard["rescue"]> | null>();
  const rules = memoize(compileRouting);
  const bends = memoize(compileRedirect);
  const kernel = memoize(kernelSettings);
  const sources = reuseEqual<ProtectedSources>();
  return (decisions, intent, facts, stacks, ways, kernelIds) => {
    const redirect = bends(intent, facts, stacks, ways, kernelIds);
    const protection = sources(protectedSources(decisions, intent.network, facts));
    return {
      guard: gate(
        ways,
        intent.network,
        servers(intent, facts),
        inner(intent, facts),
        kernelIds,
        rescue(rescueOf(intent, facts)),
      ),
      protection,
      iproute: rules(ways, intent.network, facts, redirect, kernelIds),
      redirect,
      steering: steer(decisions, intent, facts, ways, kernelIds),
      release: protection,
      sysctl: kernel(intent.network, facts),
    };
  };
}

/**
 * The kernel must not check which way a sender would be reached: asked so, without the mark of the flow, the routing
 * rules answer that the LAN may reach nobody, and every answer to a device would be dropped. What comes in is the
 * guard's affair instead. The stricter of `all` and the interface counts, so both are set; `default` is for interfaces
 * that come later. `accept_local` spares even the look whether the sender is the gateway itself, which walks the same
 * rules for every packet; the guard asks that, where it matters.
 *
 * Neighbours on one link are told nothing of addresses on another, those of tunnels first of all: on LANs not even who asks
 * from elsewhere is answered. Uplinks answer any router there is: providers' often have an address of another network.
 *
 * A blocked device is told so by ICMP errors, and in IPv4 the kernel's default of one a second would leave most connections
 * of a page waiting. None of these errors leaves outside.
 *
 * ICMP redirects would tell a device of a path around the gateway. Those of IPv6 have no setting; the guard drops them.
 */
export function kernelSettings({ lan, uplinks }: Network, { links, hops }: Facts): Desired["sysctl"] {
  const crossed = new Set([...lan, ...uplinks, ...hops.map((hop) => hop.interface)]);
  const present = links.map(({ name }) => name).filter((name) => crossed.has(name));
  return {
    "net.ipv4.ip_forward": "1",
    "net.ipv6.conf.all.forwarding": "1",
    [acceptLocalKey]: "1",
    [icmpIntervalKey]: "100",
    [arpIgnoreKey("all")]: "1",
    [arpAnnounceKey("all")]: "2",
    ...Object.fromEntries(
      ["all", "default", ...present].flatMap((name) => [
        [reversePathKey(name), "0"],
        [sendRedirectsKey(name), "0"],
      ]),
    ),
    ...Object.fromEntries(present.filter((name) => lan.includes(name)).map((name) => [arpIgnoreKey(name), "2"])),
  };
}
