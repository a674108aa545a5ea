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
    sysctl: {
      "net.ipv4.ip_forward": "1",
      "net.ipv6.conf.all.forwarding": "1",
      ...reversePathChecks(intent, facts),
    },
  };
}

/**
 * Off, where answers come in. The check asks how a device would reach whoever answers, without the mark that leads
 * there, and finds that it would not: even the loose check drops every IPv4 answer. The guard does this work.
 */
function reversePathChecks({ network }: Intent, { links, hops }: Facts): Record<string, string> {
  const ways = new Set([network.wan, ...hops.map((hop) => hop.interface)]);
  const present = links.filter(({ name }) => ways.has(name)).map(({ name }) => name.replaceAll(".", "/"));
  return Object.fromEntries(["all", ...present].map((name) => [`net.ipv4.conf.${name}.rp_filter`, "0"]));
}
