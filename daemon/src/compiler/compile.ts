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
      // Loose: strict reverse path checks would drop answers that come back by a policy's way.
      "net.ipv4.conf.all.rp_filter": "2",
    },
  };
}
