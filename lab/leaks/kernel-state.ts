import { isOurPriority, isOurTable } from "../../daemon/src/engines/iproute/iproute.model.ts";
import type { Host } from "../namespaces.ts";
import { systemOn } from "../system.ts";

/** What stands in the kernel of a gateway, as single parts that can be left out. */
export interface KernelState {
  readonly nft: readonly Line[];
  readonly rules: readonly Part[];
  readonly routes: readonly Part[];
}

/** A line of what nft lists. Elements of a set are one. */
interface Line {
  readonly text: string;
  readonly part?: Part;
}

/** One thing whose absence should be noticed. */
export interface Part {
  readonly id: string;
  readonly kind: "rule" | "elements" | "policy" | "ip rule" | "route";
  /** A table of nft, or "routing". */
  readonly table: string;
  /** A chain, set, map, or the family. */
  readonly place: string;
  readonly text: string;
}

export async function readKernelState(gateway: Host): Promise<KernelState> {
  const [rules, routes]: [Part[], Part[]] = [[], []];
  for (const family of ["-4", "-6"]) {
    for (const line of (await gateway.run("ip", family, "rule")).split("\n")) {
      const [, priority, rest] = /^(\d+):\t(.*?) *$/.exec(line) ?? [];
      if (priority !== undefined && isOurPriority(Number(priority)))
        rules.push(ipPart("ip rule", family, `priority ${priority} ${rest}`));
    }
    for (const line of (await gateway.run("ip", family, "route", "show", "table", "all")).split("\n")) {
      const number = / table (\d+)/.exec(line)?.[1];
      if (number !== undefined && isOurTable(Number(number))) routes.push(ipPart("route", family, line.trim()));
    }
  }
  return { nft: linesOf(await gateway.run("nft", "-s", "list", "ruleset")), rules, routes };
}

const ipPart = (kind: "ip rule" | "route", family: string, text: string): Part => ({
  id: `${kind} ${family} ${text}`,
  kind,
  table: "routing",
  place: family === "-4" ? "IPv4" : "IPv6",
  text,
});

/** Lines of a ruleset: rules, what sets hold, and policies that drop are parts. */
export function linesOf(ruleset: string): Line[] {
  let [table, place, held] = ["", "", ""];
  const all: Line[] = [];
  const part = (kind: Part["kind"], text: string): Part => ({
    id: `${table} ${place} ${all.length} ${text}`,
    kind,
    table,
    place,
    text,
  });
  for (const line of ruleset.split("\n")) {
    const text = line.trim();
    if (held !== "") held += ` ${text}`;
    else if (text.startsWith("elements = {")) held = text;
    else if (text.startsWith("table ")) table = text.split(" ").slice(1, 3).join(" ");
    else if (/^(chain|set|map|counter) .*\{$/.test(text)) place = text.split(" ")[1]!;
    if (held !== "") {
      if (!held.endsWith("}")) continue;
      all.push({ text: held, part: part("elements", held) });
      held = "";
    } else if (text.startsWith("type filter hook") && text.endsWith("policy drop;"))
      all.push({ text, part: part("policy", text) });
    else if (line.startsWith("\t\t") && !/^(type|flags|size|timeout|packets|counter \{)/.test(text))
      all.push({ text, part: part("rule", text) });
    else all.push({ text });
  }
  return all;
}

export const partsOf = ({ nft, rules, routes }: KernelState): Part[] => [
  ...nft.flatMap(({ part }) => (part ? [part] : [])),
  ...rules,
  ...routes,
];

/** What stands without these. A policy is not left out, but accepts. */
export const without = ({ nft, rules, routes }: KernelState, isGone: (part: Part) => boolean): KernelState => ({
  nft: nft.flatMap((line) => {
    if (!line.part || !isGone(line.part)) return [line];
    return line.part.kind === "policy" ? [{ text: line.text.replace("policy drop;", "policy accept;") }] : [];
  }),
  rules: rules.filter((part) => !isGone(part)),
  routes: routes.filter((part) => !isGone(part)),
});

/** Brings the kernel from one state to another; nftables in one transaction. */
export async function load(gateway: Host, was: KernelState, is: KernelState, more = ""): Promise<void> {
  for (const [kind, before, after] of [
    ["rule", was.rules, is.rules],
    ["route", was.routes, is.routes],
  ] as const)
    for (const [family, place] of [
      ["-4", "IPv4"],
      ["-6", "IPv6"],
    ] as const) {
      const missing = (these: readonly Part[], those: readonly Part[], verb: string) =>
        these
          .filter((part) => part.place === place && !those.some(({ id }) => id === part.id))
          .map(({ text }) => `${kind} ${verb} ${text}\n`);
      const batch = [...missing(after, before, "add"), ...missing(before, after, "del")].join("");
      if (batch !== "") await systemOn(gateway).run("ip", [family, "-force", "-batch", "-"], { stdin: batch });
    }
  // A packet in flight would be looked up half in the old and half in the new rules. An apply of the daemon gives them
  // other names for that reason; here they keep theirs, so ingress is dropped meanwhile.
  const nft = (text: string) => systemOn(gateway).run("nft", ["-f", "-"], { stdin: text });
  await nft(dropIngress);
  await nft(`flush ruleset\n${dropIngress}${is.nft.map((line) => line.text).join("\n")}\n${more}`);
  await nft("delete table netdev lab_ingress\n");
}

const dropIngress = `table netdev lab_ingress {
	chain arrive {
		type filter hook ingress device "lan0" priority 0; policy drop;
	}
}
`;
