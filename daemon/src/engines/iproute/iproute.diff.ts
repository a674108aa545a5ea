import type { Family, Route, Routing, Rule } from "./iproute.model.ts";

/** One line for `ip -batch`. */
export interface Change {
  readonly family: Family;
  readonly line: string;
  /** What stands in the place of a way. */
  readonly actual?: string;
}

/**
 * From what stands to what should stand, in an order that never opens a gap: first the unreachable ends of tables,
 * then rules, then ways; going the other way round, ways first, then rules, and the ends last.
 */
export function routingChanges(desired: Routing, actual: Routing): Change[] {
  const rules = compare(desired.rules, actual.rules, ruleLine);
  const routes = compare(desired.routes, actual.routes, routeLine);
  const ends = (it: readonly Route[]) => it.filter(({ nextHop }) => nextHop === "unreachable");
  const ways = (it: readonly Route[]) => it.filter(({ nextHop }) => nextHop !== "unreachable");
  return [
    ...ends(routes.missing).map((it) => change("route add", it, routeLine)),
    ...rules.missing.map((it) => change("rule add", it, ruleLine)),
    ...ways(routes.missing).map((it) => {
      const other = ways(routes.surplus).find((standing) => isSamePlace(standing, it));
      return { ...change("route replace", it, routeLine), ...(other && { actual: routeLine(other) }) };
    }),
    ...ways(routes.surplus)
      .filter((it) => !routes.missing.some((other) => isSamePlace(it, other)))
      .map((it) => change("route del", it, routeLine)),
    ...rules.surplus.map((it) => change("rule del", it, ruleLine)),
    ...ends(routes.surplus).map((it) => change("route del", it, routeLine)),
  ];
}

/** A replace has already put the new way in the old one's place. */
const isSamePlace = (a: Route, b: Route): boolean =>
  a.family === b.family && a.table === b.table && a.to === b.to && a.metric === b.metric;

function compare<T extends { family: Family }>(desired: readonly T[], actual: readonly T[], line: (it: T) => string) {
  const key = (it: T) => `${it.family} ${line(it)}`;
  const wanted = new Set(desired.map(key));
  const standing = new Set(actual.map(key));
  return {
    missing: desired.filter((it) => !standing.has(key(it))),
    surplus: actual.filter((it) => !wanted.has(key(it))),
  };
}

/** A way that is gone, with nothing in its place: whoever would take it comes to the end of its table. */
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
  const place = `table ${table} metric ${metric}`;
  if (nextHop === "unreachable") return `unreachable ${to} ${place}`;
  return `${to}${nextHop.via ? ` via ${nextHop.via}` : ""} dev ${nextHop.device} ${place}`;
}
