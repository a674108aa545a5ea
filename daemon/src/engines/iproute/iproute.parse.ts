import { type Family, isOurPriority, isOurTable, type Route, type Rule } from "./iproute.model.ts";

interface RuleJson {
  readonly priority: number;
  readonly src?: string;
  readonly srclen?: number;
  readonly dst?: string;
  readonly dstlen?: number;
  readonly iif?: string;
  readonly oif?: string;
  readonly fwmark?: string;
  readonly fwmask?: string;
  readonly table?: string;
  readonly action?: string;
  readonly goto?: number;
  readonly suppress_prefixlen?: number;
  readonly uid_start?: number;
  readonly uid_end?: number;
  readonly sport?: number;
  readonly dport_start?: number;
  readonly dport_end?: number;
}

/** `ip -j rule` → our rules. */
export function parseRules(json: string, family: Family): Rule[] {
  return (JSON.parse(json || "[]") as RuleJson[])
    .filter(({ priority }) => isOurPriority(priority))
    .map(
      ({
        priority,
        src = "all",
        srclen,
        dst,
        dstlen,
        iif,
        oif,
        fwmark,
        fwmask,
        uid_start,
        uid_end,
        sport,
        dport_start,
        dport_end,
        ...rest
      }) => ({
        family,
        priority,
        ...(src !== "all" && { from: srclen === undefined ? src : `${src}/${srclen}` }),
        ...(dst !== undefined && { to: dstlen === undefined ? dst : `${dst}/${dstlen}` }),
        ...(iif !== undefined && { iif }),
        ...(oif !== undefined && { oif }),
        ...(fwmark !== undefined && { mark: { value: Number(fwmark), mask: Number(fwmask ?? "0xffffffff") } }),
        ...(uid_start !== undefined && { users: [uid_start, uid_end ?? uid_start] as const }),
        ...(sport !== undefined && { sourcePort: sport }),
        ...(dport_start !== undefined && { icmp: [dport_start >> 8, (dport_end ?? dport_start) >> 8] as const }),
        action: actionOf(rest),
      }),
    );
}

function actionOf({ table, action, goto, suppress_prefixlen }: Partial<RuleJson>): Rule["action"] {
  if (action === "prohibit") return "prohibit";
  if (goto !== undefined) return { goto };
  return table === "main" && suppress_prefixlen === 0 ? { lookup: "main", but: "default" } : { lookup: Number(table) };
}

interface RouteJson {
  readonly type?: string;
  readonly dst: string;
  readonly gateway?: string;
  readonly dev?: string;
  readonly table?: string;
  readonly metric?: number;
}

/** `ip -j route show table all` → the routes of our tables. */
export function parseRoutes(json: string, family: Family): Route[] {
  return (JSON.parse(json || "[]") as RouteJson[])
    .filter(({ table }) => isOurTable(Number(table)))
    .map(({ type, dst, gateway, dev = "", table, metric = 0 }) => ({
      family,
      table: Number(table),
      to: dst,
      metric,
      nextHop: type === "unreachable" ? "unreachable" : { device: dev, ...(gateway !== undefined && { via: gateway }) },
    }));
}
