import type { Routing } from "../engines/iproute/iproute.model.ts";
import type { Guard, Ruleset } from "../engines/nftables/nftables.model.ts";
import type { Decisions } from "./decide.ts";
import type { Facts } from "./facts.ts";
import type { Intent } from "./intent.ts";
import type { Numbers } from "./numbers.ts";
import { remember } from "./remember.ts";
import { route } from "./route.ts";
import { guard, steerer } from "./steer.ts";

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

export const compile = (decisions: Decisions, intent: Intent, facts: Facts, numbers: Numbers): Desired =>
  compiler()(decisions, intent, facts, numbers);

/** The whole gateway as one function: what was decided, around what there is → what each engine should be. */
export function compiler(): (decisions: Decisions, intent: Intent, facts: Facts, numbers: Numbers) => Desired {
  const steer = steerer();
  const gate = remember(guard);
  const ways = remember(route);
  return (decisions, intent, facts, numbers) => ({
    guard: gate(decisions.ranked, intent.network, numbers),
    iproute: ways(decisions.ranked, intent.network, facts, numbers),
    steering: steer(decisions, intent, numbers),
    sysctl: settings,
  });
}

const settings = {
  "net.ipv4.ip_forward": "1",
  "net.ipv6.conf.all.forwarding": "1",
  // Loose: strict reverse path checks would drop answers that come back by a policy's way.
  "net.ipv4.conf.all.rp_filter": "2",
};
