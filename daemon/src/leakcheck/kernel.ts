import type { Desired } from "../compiler/compile.ts";
import { guardTable } from "../engines/nftables/guard/guard.render.ts";
import { natTable } from "../engines/nftables/steering/nat.render.ts";
import { redirectTable } from "../engines/nftables/redirect/redirect.render.ts";
import { steeringTable } from "../engines/nftables/steering/transaction.render.ts";
import { pathOf } from "../engines/sysctl/sysctl.model.ts";
import { readIp } from "../system/iplisting.ts";
import type { System } from "../system/system.ts";
import { probeTable } from "./spoofed-probes.render.ts";
import {
  flowsIn,
  type ForeignRule,
  foreignRulesIn,
  type KernelFlow,
  type KernelNeighbour,
  type KernelRule,
  neighboursIn,
  rulesOf,
} from "./kernel.parse.ts";

/** What the kernel has at one moment, read anew: nobody's memory of it. */
export interface Kernel {
  readonly rules: readonly KernelRule[];
  /** `ip -j …` as it came: our own rules and routes are read as the engine reads them. */
  readonly ip: Awaited<ReturnType<typeof readIp>>;
  /** `nft -t -j list ruleset` as it came. */
  readonly ruleset: string;
  readonly foreign: readonly ForeignRule[];
  /** Our tables with their elements; empty where there is none. */
  readonly guard: string;
  readonly steering: string;
  readonly proxies: string;
  readonly flows: readonly KernelFlow[] | string;
  readonly neighbours: readonly KernelNeighbour[];
  readonly settings: Readonly<Record<string, string>>;
}

const ours = [guardTable, natTable, redirectTable, steeringTable, probeTable];

export async function readKernel(
  system: Pick<System, "run" | "readText">,
  wanted: Pick<Desired, "sysctl">,
): Promise<Kernel> {
  const table = (name: string) => system.run("nft", ["-j", "list", "table", ...name.split(" ")]).catch(() => "{}");
  const flowsOf = async (family: 4 | 6) => flowsIn(await system.run("conntrack", ["-L", "-f", `ipv${family}`]), family);
  const settings = Object.fromEntries(
    Object.keys(wanted.sysctl).map((key) => [key, system.readText(pathOf(key))?.trim() ?? ""]),
  );
  // What somebody may put back soon is read first.
  const [ruleset, guard, steering, proxies, ip] = await Promise.all([
    system.run("nft", ["-t", "-j", "list", "ruleset"]),
    table(guardTable),
    table(steeringTable),
    table(redirectTable),
    readIp(system as System),
  ]);
  const [neighbours, flows4, flows6] = await Promise.all([
    system.run("ip", ["-j", "neigh", "show"]),
    flowsOf(4).catch((error: Error) => error.message),
    flowsOf(6).catch((error: Error) => error.message),
  ]);
  return {
    ip,
    rules: [...rulesOf(ip.v4.rules, 4), ...rulesOf(ip.v6.rules, 6)],
    ruleset,
    foreign: foreignRulesIn(ruleset, ours),
    guard,
    steering,
    proxies,
    flows: typeof flows4 === "string" ? flows4 : typeof flows6 === "string" ? flows6 : [...flows4, ...flows6],
    neighbours: neighboursIn(neighbours),
    settings,
  };
}

/** Where the kernel says a packet would go. */
export type Answer =
  | { readonly kind: "way"; readonly interface: string; readonly text: string }
  | { readonly kind: "none"; readonly text: string };

/** A packet of somebody's, as `ip route get` is asked for it. */
export interface RouteQuestion {
  readonly destination: string;
  readonly source: string;
  readonly lan: string;
  readonly mark: number | null;
}

export const questionWords = ({ destination, source, lan, mark }: RouteQuestion): string[] => [
  "route",
  "get",
  destination,
  "from",
  source,
  "iif",
  lan,
  ...(mark === null ? [] : ["mark", `0x${mark.toString(16)}`]),
];

/** The rules that a forwarded packet meets, and the routes they lead to, asked as the kernel asks itself. */
export async function askRoute(system: Pick<System, "run">, question: RouteQuestion): Promise<Answer> {
  try {
    const text = await system.run("ip", ["-j", ...questionWords(question)]);
    const [{ dev, type } = {}] = JSON.parse(text) as { dev?: string; type?: string }[];
    return dev === undefined || (type !== undefined && type !== "unicast")
      ? { kind: "none", text: type ?? "no way" }
      : { kind: "way", interface: dev, text: `dev ${dev}` };
  } catch (error) {
    return { kind: "none", text: reasonOf((error as Error).message) };
  }
}

const reasonOf = (complaint: string): string =>
  /RTNETLINK answers: (.*)/.exec(complaint)?.[1]?.toLowerCase() ?? complaint.split("\n")[0]!;
