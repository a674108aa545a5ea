import type { Family, Rule } from "../daemon/src/engines/iproute/iproute.model.ts";

interface Packet {
  readonly family: Family;
  readonly mark: number;
  readonly iif: string;
}

/** As the kernel does it: rules in order of priority until one decides. A `goto` without a target is skipped. */
export function lookupRule(rules: readonly Rule[], { family, mark, iif }: Packet) {
  const ordered = rules.filter((rule) => rule.family === family).toSorted((a, b) => a.priority - b.priority);
  let at = 0;
  let compared = 0;
  while (at < ordered.length) {
    const rule = ordered[at]!;
    compared += 1;
    at += 1;
    if (!isMet(rule, mark, iif)) continue;
    if (typeof rule.action === "string" || !("goto" in rule.action)) return { action: rule.action, compared };
    const { goto } = rule.action;
    const target = ordered.findIndex(({ priority }) => priority === goto);
    if (target >= at) at = target;
  }
  return { action: undefined, compared };
}

const isMet = (
  { mark: wanted, iif, oif, from, to, users, sourcePort, icmp }: Rule,
  mark: number,
  device: string,
): boolean =>
  (wanted === undefined || (mark & wanted.mask) >>> 0 === wanted.value) &&
  (iif === undefined || iif === device) &&
  oif === undefined &&
  to === undefined &&
  from === undefined &&
  users === undefined &&
  sourcePort === undefined &&
  icmp === undefined;
