import { contains, parseAddress, parseNetwork } from "../net/addresses.ts";
import { inParallel } from "../system/async.ts";
import type { System } from "../system/system.ts";
import { type RouteAnswer, type RouteQuery, queryRoute } from "./kernel.ts";
import type { KernelRule } from "./kernel.parse.ts";
import { destinationOf } from "./spoofed-probes.ts";
import type { Origin, Subject } from "./subjects.ts";

/** What the kernel answered for one packet. */
export interface QueriedRoute {
  readonly query: RouteQuery;
  readonly answer: RouteAnswer;
}

const parallelQueries = 4;

/** Where the kernel would send packets of each origin: with each of its marks, and without a mark. */
export async function queryRoutes(
  system: Pick<System, "run">,
  random: () => number,
  subjects: readonly Subject[],
  rules: readonly KernelRule[],
): Promise<ReadonlyMap<Origin, readonly QueriedRoute[]>> {
  const destinations = { 4: destinationOf(4, random()), 6: destinationOf(6, random()) };
  const keyOf = routeKeys(rules);
  const pending = new Map<string, RouteQuery>();
  const keys = new Map<Origin, readonly string[]>();
  for (const origin of subjects.flatMap(({ origins }) => origins)) {
    const { address: source, lan, family } = origin;
    const ofOrigin = [...origin.marks, null].map((mark) => {
      const key = keyOf(origin, mark);
      if (!pending.has(key)) pending.set(key, { destination: destinations[family], source, lan, mark });
      return key;
    });
    keys.set(origin, ofOrigin);
  }
  const answered = new Map<string, QueriedRoute>();
  await inParallel(
    parallelQueries,
    [...pending].map(
      ([key, query]) =>
        async () =>
          void answered.set(key, { query, answer: await queryRoute(system, query) }),
    ),
  );
  return new Map([...keys].map(([origin, ofOrigin]) => [origin, ofOrigin.map((key) => answered.get(key)!)]));
}

/**
 * Packets with equal keys match the same routing rules, and so share one query: the kernel compares only the bits of a mark
 * that a rule names, and a sender only where a rule names senders. Thousands of devices need a few queries.
 */
export function routeKeys(rules: readonly KernelRule[]): (origin: Origin, mark: number | null) => string {
  const comparedBits = rules.reduce((bits, { mark }) => bits | (mark?.mask ?? 0), 0);
  const senders = [...new Set(rules.flatMap(({ from }) => from ?? []))].map(parseNetwork);
  return ({ family, lan, address }, mark) => {
    const sender = senders.length === 0 ? undefined : parseAddress(address);
    const matched = senders.map((network) => (network && sender && contains(network, sender) ? "1" : "0"));
    return `${family} ${lan} ${mark === null ? "unmarked" : (mark & comparedBits) >>> 0} ${matched.join("")}`;
  };
}
