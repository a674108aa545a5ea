import type { Desired } from "../compiler/compile.ts";
import { guardTable } from "../engines/nftables/guard/guard.render.ts";
import { natTable } from "../engines/nftables/steering/nat.render.ts";
import { redirectTable } from "../engines/nftables/redirect/redirect.render.ts";
import { scansTable } from "../engines/nftables/scans/scans.render.ts";
import { steeringTable } from "../engines/nftables/steering/transaction.render.ts";
import { pathOf } from "../engines/sysctl/sysctl.model.ts";
import { readIp } from "../system/iplisting.ts";
import type { System } from "../system/system.ts";
import { probeTable, senderTable } from "./spoofed-probes.render.ts";
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

/** The state of the kernel at one moment, read from the kernel and from no cache. */
export interface Kernel {
  readonly rules: readonly KernelRule[];
  /** Output of `ip -j …`: our own rules and routes are parsed as the engine parses them. */
  readonly ip: Awaited<ReturnType<typeof readIp>>;
  /** Output of `nft -t -j list ruleset`. */
  readonly ruleset: string;
  readonly foreign: readonly ForeignRule[];
  /** Our tables with their elements; empty if the table does not exist. */
  readonly guard: string;
  readonly steering: string;
  readonly proxies: string;
  readonly flows: readonly KernelFlow[] | string;
  readonly neighbours: readonly KernelNeighbour[];
  readonly settings: Readonly<Record<string, string>>;
}

const ours = [guardTable, natTable, redirectTable, scansTable, steeringTable, probeTable, senderTable];

export async function readKernel(
  system: Pick<System, "run" | "readText">,
  wanted: Pick<Desired, "sysctl">,
): Promise<Kernel> {
  const table = (name: string) => system.run("nft", ["-j", "list", "table", ...name.split(" ")]).catch(() => "{}");
  const flowsOf = async (family: 4 | 6) => flowsIn(await system.run("conntrack", ["-L", "-f", `ipv${family}`]), family);
  const settings = Object.fromEntries(
    Object.keys(wanted.sysctl).map((key) => [key, system.readText(pathOf(key))?.trim() ?? ""]),
  );
  // What may be repaired soon is read first.
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

/** Where the kernel would send a packet. */
export type RouteAnswer =
  | { readonly kind: "route"; readonly interface: string; readonly text: string }
  | { readonly kind: "none" /** The kernel's answer; empty: it gave none. */; readonly text: string };

/** The packet that `ip route get` is called for. */
export interface RouteQuery {
  readonly destination: string;
  readonly source: string;
  readonly lan: string;
  readonly mark: number | null;
}

export const routeGetArguments = ({ destination, source, lan, mark }: RouteQuery): string[] => [
  "route",
  "get",
  destination,
  "from",
  source,
  "iif",
  lan,
  ...(mark === null ? [] : ["mark", `0x${mark.toString(16)}`]),
];

/** Evaluates the rules and routes of a forwarded packet in the kernel itself. */
export async function queryRoute(system: Pick<System, "run">, query: RouteQuery): Promise<RouteAnswer> {
  try {
    const text = await system.run("ip", ["-j", ...routeGetArguments(query)]);
    const [{ dev, type } = {}] = JSON.parse(text) as { dev?: string; type?: string }[];
    return dev === undefined || (type !== undefined && type !== "unicast")
      ? { kind: "none", text: type ?? "" }
      : { kind: "route", interface: dev, text: `dev ${dev}` };
  } catch (error) {
    return { kind: "none", text: reasonOf((error as Error).message) };
  }
}

const reasonOf = (error: string): string =>
  /RTNETLINK answers: (.*)/.exec(error)?.[1]?.toLowerCase() ?? error.split("\n")[0]!;
