import type { Routing } from "../engines/iproute/iproute.model.ts";
import type { Guard, Ruleset } from "../engines/nftables/nftables.model.ts";
import type { Decisions } from "./decide.ts";
import type { Facts } from "./facts.ts";
import type { Intent } from "./intent.ts";
import type { Numbers } from "./numbers.ts";
import { route } from "./route.ts";
import { guard, steer } from "./steer.ts";

/**
 * What every engine should look like, as data, in the order they change: the gate first, so that whatever is half
 * done is shut; forwarding last.
 */
export interface Desired {
  readonly guard: Guard;
  readonly iproute: Routing;
  readonly steering: Ruleset;
  readonly sysctl: Readonly<Record<string, string>>;
}

/** The whole gateway as one pure function: what was decided, around what there is → what each engine should be. */
export function compile(decisions: Decisions, intent: Intent, facts: Facts, numbers: Numbers): Desired {
  return {
    guard: guard(decisions, intent, numbers),
    iproute: route(decisions, intent, facts, numbers),
    steering: steer(decisions, intent, numbers),
    sysctl: kernelSettings(intent, facts),
  };
}

/**
 * The kernel must not check which way a sender would be reached: asked so, the routing rules answer that the LAN may
 * reach nobody without a mark, and every answer to a device would be dropped. The stricter of `all` and the interface
 * counts, so both are set; `default` is for interfaces that come later. `accept_local` spares even the look whether the
 * sender is the gateway itself, which walks the same rules for every packet; the guard asks that, where it matters.
 */
export function kernelSettings({ network }: Intent, { links, hops }: Facts): Desired["sysctl"] {
  const crossed = new Set([...network.lan, network.wan, ...hops.map((hop) => hop.interface)]);
  const present = links.map(({ name }) => name).filter((name) => crossed.has(name));
  return {
    "net.ipv4.ip_forward": "1",
    "net.ipv6.conf.all.forwarding": "1",
    "net.ipv4.conf.all.accept_local": "1",
    ...Object.fromEntries(
      ["all", "default", ...present].map((name) => [`net.ipv4.conf.${name.replaceAll(".", "/")}.rp_filter`, "0"]),
    ),
  };
}
