import { because, literal, type Reason } from "@portcullis/contract/reason";
/** An entry of the neighbour table. */
export interface KernelNeighbour {
  readonly address: string;
  readonly interface: string;
  readonly mac: string;
  /** It advertises itself as an IPv6 router. */
  readonly isRouter: boolean;
}

interface NeighbourJson {
  readonly dst: string;
  readonly dev?: string;
  readonly lladdr?: string;
  readonly router?: null;
  readonly state?: readonly string[];
}

/** `ip -j neigh show` → neighbours that answered. */
export const neighboursIn = (json: string): KernelNeighbour[] =>
  (JSON.parse(json || "[]") as NeighbourJson[]).flatMap(({ dst, dev, lladdr, state = [], ...rest }) =>
    dev === undefined || lladdr === undefined || state.some((it) => it === "FAILED" || it === "INCOMPLETE")
      ? []
      : [{ address: dst, interface: dev, mac: lladdr, isRouter: "router" in rest }],
  );

/** A routing rule, ours or of another program, with the packets it matches. */
export interface KernelRule {
  readonly family: 4 | 6;
  readonly priority: number;
  readonly from: string | null;
  readonly iif: string | null;
  readonly mark: { readonly value: number; readonly mask: number } | null;
  /** It matches only packets that the gateway sends, never forwarded ones. */
  readonly isForOwnPackets: boolean;
  readonly isInverted: boolean;
  /** As `ip rule` prints it. */
  readonly text: string;
}

type RuleJson = Readonly<Record<string, string | number | null | undefined>>;

/** `ip -j rule show` → every rule, ours and those of other programs. */
export const rulesOf = (json: string, family: 4 | 6): KernelRule[] =>
  (JSON.parse(json || "[]") as RuleJson[]).map((rule) => {
    const { priority, src, srclen, iif, oif, fwmark, fwmask, uid_start } = rule;
    const length = srclen === undefined ? "" : `/${srclen}`;
    return {
      family,
      priority: Number(priority),
      from: src === undefined || src === "all" ? null : `${src}${length}`,
      iif: iif === undefined || iif === null ? null : String(iif),
      mark: fwmark === undefined ? null : { value: Number(fwmark), mask: Number(fwmask ?? "0xffffffff") },
      isForOwnPackets: oif !== undefined || uid_start !== undefined || iif === "lo",
      isInverted: "not" in rule,
      text: ruleText(rule),
    };
  });

const ruleText = ({ priority, src, srclen, dst, dstlen, table, action, not: _, ...rest }: RuleJson): string =>
  [
    `${priority}:`,
    ...(_ === undefined ? [] : ["not"]),
    `from ${src}${srclen === undefined ? "" : `/${srclen}`}`,
    ...(dst === undefined ? [] : [`to ${dst}${dstlen === undefined ? "" : `/${dstlen}`}`]),
    ...Object.entries(rest).map(([key, value]) => (value === null ? key : `${key} ${value}`)),
    ...(action === undefined ? [] : [String(action)]),
    ...(table === undefined ? [] : [`lookup ${table}`]),
  ].join(" ");

/** An entry of the connection tracking table. */
export interface KernelFlow {
  readonly family: 4 | 6;
  readonly protocol: string;
  readonly source: string;
  readonly destination: string;
  readonly port: number | null;
  /** Source and destination of the reply direction. */
  readonly answerFrom: string;
  readonly answerTo: string;
  readonly mark: number;
  readonly text: string;
}

/** `conntrack -L` → flows. */
export const flowsIn = (text: string, family: 4 | 6): KernelFlow[] =>
  text.split("\n").flatMap((line) => {
    const [source, answerFrom] = valuesOf(line, "src");
    const [destination, answerTo] = valuesOf(line, "dst");
    if (!source || !answerFrom || !destination || !answerTo) return [];
    const [port] = valuesOf(line, "dport");
    return [
      {
        family,
        protocol: /^\S+/.exec(line)![0],
        source,
        destination,
        port: port === undefined ? null : Number(port),
        answerFrom,
        answerTo,
        mark: Number(valuesOf(line, "mark")[0] ?? 0),
        text: line.trim().replaceAll(/\s+/g, " "),
      },
    ];
  });

const valuesOf = (line: string, key: string): string[] =>
  [...line.matchAll(new RegExp(`(?:^| )${key}=(\\S+)`, "g"))].map(([, value]) => value!);

/** A rule in a table of another program that redirects or rewrites packets. */
export interface ForeignRule {
  readonly table: string;
  readonly chain: string;
  readonly action: Reason;
  /** Its matches on the sender; null: any sender. */
  readonly matches: {
    readonly source: readonly string[] | null;
    readonly mac: string | null;
    readonly iif: string | null;
  };
  readonly family: 4 | 6 | null;
  readonly text: string;
}

type Expression = Readonly<Record<string, unknown>>;

interface RuleItem {
  readonly family: string;
  readonly table: string;
  readonly chain: string;
  readonly expr?: readonly Expression[];
}

/** `nft -j list ruleset` → rules of other programs that translate addresses, rewrite marks, or bypass the guard. */
export function foreignRulesIn(json: string, ours: readonly string[]): ForeignRule[] {
  const { nftables = [] } = JSON.parse(json || "{}") as { nftables?: readonly { readonly rule?: RuleItem }[] };
  return nftables.flatMap(({ rule }) => {
    if (!rule || ours.includes(`${rule.family} ${rule.table}`)) return [];
    const { family, table, chain, expr = [] } = rule;
    const action = expr.map(actionOf).find((it) => it !== undefined);
    if (action === undefined) return [];
    const comparisons = expr.flatMap((it) => (it["match"] as Match | undefined) ?? []);
    const comparisonOf = (protocol: readonly string[], field: string) =>
      comparisons.find(
        ({ op, left }) =>
          op === "==" && left?.payload?.field === field && protocol.includes(left.payload.protocol ?? ""),
      );
    const source = comparisonOf(["ip", "ip6"], "saddr");
    const mac = comparisonOf(["ether"], "saddr");
    const iif = comparisons.find(({ op, left }) => op === "==" && left?.meta?.key === "iifname");
    const named = comparisons.flatMap(({ left }) => left?.payload?.protocol ?? []);
    return [
      {
        table: `${family} ${table}`,
        chain,
        action,
        matches: {
          source: source ? networksIn(source.right) : null,
          mac: typeof mac?.right === "string" ? mac.right : null,
          iif: typeof iif?.right === "string" ? iif.right : null,
        },
        family: family === "ip6" || named.includes("ip6") ? 6 : family === "ip" || named.includes("ip") ? 4 : null,
        text: JSON.stringify(expr),
      },
    ];
  });
}

interface Match {
  readonly op: string;
  readonly left?: {
    readonly payload?: { readonly protocol?: string; readonly field?: string };
    readonly meta?: { readonly key: string };
  };
  readonly right: unknown;
}

function actionOf(expression: Expression): Reason | undefined {
  const [kind = "", value] = Object.entries(expression)[0] ?? [];
  const plain = ["masquerade", "snat", "dnat", "redirect", "tproxy", "fwd", "dup", "flow"];
  if (plain.includes(kind)) return literal(kind);
  // nft cannot always decode rules of iptables; they may translate addresses.
  if (kind === "xt") return because("translation_iptables");
  if (kind !== "mangle") return undefined;
  const { key } = value as { key?: { meta?: { key: string }; ct?: { key: string }; payload?: { field?: string } } };
  if (key?.meta?.key === "mark") return because("translation_packet_mark");
  if (key?.ct?.key === "mark") return because("translation_connection_mark");
  return key?.payload?.field === "saddr" || key?.payload?.field === "daddr"
    ? because("translation_address")
    : undefined;
}

/** Constants of a comparison; null if they cannot be parsed, so that any sender may match. */
function networksIn(right: unknown): string[] | null {
  if (typeof right === "string") return [right];
  const { prefix, set } = (right ?? {}) as { prefix?: { addr: string; len: number }; set?: readonly unknown[] };
  if (prefix) return [`${prefix.addr}/${prefix.len}`];
  const all = set?.map(networksIn);
  return all === undefined || all.includes(null) ? null : all.flatMap((it) => it!);
}
