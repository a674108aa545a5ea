import type { Family, Route, Routing, Rule } from "./iproute.model.ts";

/** One line for `ip -batch`. */
export interface Change {
  readonly family: Family;
  readonly line: string;
  /** The route that is replaced. */
  readonly actual?: string;
}

/**
 * From the actual to the wanted state, in an order without a gap: first the unreachable routes at the end of tables,
 * then rules, then other routes; removals in reverse order.
 */
export function routingChanges(desired: Routing, actual: Routing): Change[] {
  const rules = compare(desired.rules, actual.rules, ruleLine);
  const routes = compare(desired.routes, actual.routes, routeLine);
  const ends = (it: readonly Route[]) => it.filter(({ nextHop }) => nextHop === "unreachable");
  const paths = (it: readonly Route[]) => it.filter(({ nextHop }) => nextHop !== "unreachable");
  return [
    ...ends(routes.missing).map((it) => change("route add", it, routeLine)),
    ...rules.missing.map((it) => change("rule add", it, ruleLine)),
    ...paths(routes.missing).map((it) => {
      const other = paths(routes.surplus).find((existing) => isSameKey(existing, it));
      return { ...change("route replace", it, routeLine), ...(other && { actual: routeLine(other) }) };
    }),
    ...paths(routes.surplus)
      .filter((it) => !routes.missing.some((other) => isSameKey(it, other)))
      .map((it) => change("route del", it, routeLine)),
    ...rules.surplus.map((it) => change("rule del", it, ruleLine)),
    ...ends(routes.surplus).map((it) => change("route del", it, routeLine)),
  ];
}

/** The new route replaces the old one. */
const isSameKey = (a: Route, b: Route): boolean =>
  a.family === b.family && a.table === b.table && a.to === b.to && a.metric === b.metric;

function compare<T extends { family: Family }>(desired: readonly T[], actual: readonly T[], line: (it: T) => string) {
  const key = (it: T) => `${it.family} ${line(it)}`;
  const wanted = new Set(desired.map(key));
  const existing = new Set(actual.map(key));
  return {
    missing: desired.filter((it) => !existing.has(key(it))),
    surplus: actual.filter((it) => !wanted.has(key(it))),
  };
}

/** A missing default route without a replacement: packets reach the unreachable route of its table. */
export const isBlockedOnly = (change: Change): boolean =>
  change.line.startsWith("route replace default ") && change.actual === undefined;

const change = <T extends { family: Family }>(verb: string, it: T, line: (it: T) => string): Change => ({
  family: it.family,
  line: `${verb} ${line(it)}`,
});

export function ruleLine({
  family,
  priority,
  mark,
  iif,
  oif,
  from,
  to,
  users,
  sourcePort,
  icmp,
  action,
}: Rule): string {
  return [
    `priority ${priority}`,
    from ? `from ${from}` : "from all",
    ...(to ? [`to ${to}`] : []),
    ...(iif ? [`iif ${iif}`] : []),
    ...(oif ? [`oif ${oif}`] : []),
    ...(mark ? [`fwmark 0x${mark.value.toString(16)}/0x${mark.mask.toString(16)}`] : []),
    ...(users ? [`uidrange ${users[0]}-${users[1]}`] : []),
    ...(sourcePort !== undefined ? [`sport ${sourcePort}`] : []),
    // Where other protocols have their port, ICMP has type and code.
    ...(icmp ? [`ipproto ${family === 4 ? 1 : 58} dport ${icmp[0] << 8}-${(icmp[1] << 8) | 0xff}`] : []),
    actionText(action),
  ].join(" ");
}

function actionText(action: Rule["action"]): string {
  if (action === "prohibit") return "prohibit";
  if ("goto" in action) return `goto ${action.goto}`;
  return `lookup ${action.lookup}${"but" in action ? " suppress_prefixlength 0" : ""}`;
}

export function routeLine({ table, to, metric, nextHop }: Route): string {
  const suffix = `table ${table} metric ${metric}`;
  if (nextHop === "unreachable") return `unreachable ${to} ${suffix}`;
  return `${to}${nextHop.via ? ` via ${nextHop.via}` : ""} dev ${nextHop.device} ${suffix}`;
}
