import { because, type Reason } from "@portcullis/contract/reason";
import { requestUnix, retryUntilOpen } from "../../system/socket-request.ts";
import type { System } from "../../system/system.ts";
import type { Drift, Engine } from "../engine.ts";
import type { Commits } from "../nftables/commits.ts";
import { differingLines } from "../nftables/nftables.parse.ts";
import { type ObservedTable, tableEngine, type TableLoad } from "../nftables/table.engine.ts";
import { driftOfProcesses, programState, type ProgramState } from "../sandbox/program-state.model.ts";
import { sandboxed, userOf } from "../sandbox/sandbox.model.ts";
import type { ProcessChange } from "../supervisor/supervisor.diff.ts";
import type { ProcessSpec, ProcessState } from "../supervisor/supervisor.model.ts";
import type { Supervisor } from "../supervisor/supervisor.ts";
import { confinementTable, renderConfinement } from "./confinement.render.ts";
import { isSameDhcp } from "./kea.diff.ts";
import type { DhcpPlan, DhcpSubnet, Lease } from "./kea.model.ts";
import { type Answer, leasesIn, parseAnswer, subnetsIn } from "./kea.parse.ts";
import {
  environment,
  leaseFolder,
  ownFolder,
  programs,
  renderKea,
  server,
  socketFolder,
  socketName,
} from "./kea.render.ts";

interface Needs {
  readonly system: System;
  readonly supervisor: Supervisor;
  readonly commits: Commits;
  /** Absolute, and inside a folder that no other user can enter: for its socket, until the next boot. */
  readonly folder: string;
  /** The same, for leases, which outlive a reboot. */
  readonly stateFolder: string;
}

/** The server, and its configuration. */
export interface ObservedDhcp {
  readonly processes: readonly ProcessState[];
  readonly isRunning: boolean;
  /** undefined: it does not answer. */
  readonly subnets: readonly DhcpSubnet[] | undefined;
  readonly confinement: ObservedTable;
}

export type DhcpChange =
  | { readonly kind: "confinement"; readonly load: TableLoad }
  | { readonly kind: "child"; readonly change: ProcessChange }
  | { readonly kind: "subnets"; readonly subnets: readonly DhcpSubnet[]; readonly before: readonly DhcpSubnet[] }
  /** It runs, but does not answer. */
  | { readonly kind: "unresponsive" };

/** No subnet is no Kea. */
interface KeaEngine extends Engine<DhcpPlan, ObservedDhcp, DhcpChange> {
  /** Of the server, for one network. It runs for a moment before it has its configuration. */
  readonly state: (network: string) => ProgramState;
  readonly leases: (nowMs: number) => Promise<readonly Lease[]>;
}

/** One supervised, sandboxed DHCP server. Ranges and reservations change without a restart. */
export function keaEngine({ system, supervisor, commits, folder, stateFolder }: Needs): KeaEngine {
  const confinement = tableEngine(
    "dhcp confinement",
    confinementTable,
    (closed: readonly string[]) => renderConfinement(userOf(dhcpPort), closed),
    { system, commits },
  );
  const own = `${folder}/own`;
  const leases = `${stateFolder}/leases`;
  /** The last configuration of the process with this id. */
  let configured: { readonly processId: number; readonly subnets: readonly DhcpSubnet[] } | undefined;

  let impediment: Reason | undefined;

  const running = (): readonly ProcessState[] => [supervisor.find(processName)].filter((it) => it !== undefined);

  function runningId(): number | undefined {
    const condition = supervisor.find(processName)?.condition;
    return condition?.kind === "running" ? condition.processId : undefined;
  }

  function remember(subnets: readonly DhcpSubnet[]): void {
    const processId = runningId();
    configured = processId === undefined ? undefined : { processId, subnets };
  }

  async function send(command: string, parameters?: object): Promise<Answer> {
    const request = JSON.stringify({ command, ...(parameters && { arguments: parameters }) });
    const answer = parseAnswer(await requestUnix(`${own}/socket/${socketName}`, request, answerMs));
    if (answer.result !== 0 && answer.result !== empty)
      throw new Error(`kea: ${command}: ${answer.text ?? "it failed"}`);
    return answer;
  }

  const subnets = (): Promise<DhcpSubnet[] | undefined> =>
    retryUntilOpen(async () => subnetsIn(await send("config-get")));

  function makeFolders(): void {
    for (const [path, mode] of [
      [folder, 0o700],
      [stateFolder, 0o700],
      // Writable for its user, inside folders that no other user can enter.
      [own, 0o777],
      [leases, 0o777],
    ] as const) {
      system.makeFolder(path, 0o700);
      system.restrict(path, mode);
    }
  }

  /** It does not run unless its rules are loaded. */
  async function confine(load: TableLoad): Promise<void> {
    try {
      await confinement.apply([load]);
      impediment = undefined;
    } catch (error) {
      impediment = because("dhcp_unconfined");
      await supervisor.apply(supervisor.changes([], running()));
      throw error;
    }
  }

  const observe = async (): Promise<ObservedDhcp> => {
    const isRunning = runningId() !== undefined;
    const answered = isRunning ? await subnets() : undefined;
    if (answered) remember(answered);
    return { processes: running(), isRunning, subnets: answered, confinement: await confinement.observe() };
  };

  return {
    name: "kea",
    observe,
    changes: ({ subnets: wanted, closed }, seen) => {
      const children = supervisor.changes(wanted.length > 0 ? [processSpec(own, leases)] : [], seen.processes);
      const started = children.map((change) => ({ kind: "child" as const, change }));
      // One that runs, or is about to, is confined first. Without one there is nothing to confine.
      const isOver = wanted.length === 0 && (seen.processes.length > 0 || seen.confinement.now === "");
      const loads = isOver ? [] : confinement.changes(closed, seen.confinement);
      const confined = loads.map((load) => ({ kind: "confinement" as const, load }));
      if (wanted.length === 0) return [...confined, ...started];
      if (children.length === 0 && seen.isRunning && !seen.subnets) return [...confined, { kind: "unresponsive" }];
      // In backoff: the subnets follow when it runs again.
      if (children.length === 0 && !seen.isRunning) return confined;
      const before = children.length > 0 ? [] : (seen.subnets ?? []);
      if (isSameDhcp(before, wanted)) return [...confined, ...started];
      return [...confined, ...started, { kind: "subnets", subnets: wanted, before }];
    },
    drift: (changes, seen) => changes.flatMap((it) => driftOf(it, seen)),
    apply: async (changes) => {
      makeFolders();
      for (const it of changes) if (it.kind === "confinement") await confine(it.load);
      await supervisor.apply(changes.flatMap((it) => (it.kind === "child" ? [it.change] : [])));
      if (changes.some(({ kind }) => kind === "unresponsive")) throw new Error("kea does not answer");
      for (const it of changes) {
        if (it.kind !== "subnets") continue;
        if (!(await subnets())) throw new Error("kea does not answer");
        await send("config-set", renderKea(it.subnets, process.arch));
        remember(it.subnets);
      }
    },
    state: (network) => {
      const state = programState(processName, impediment, supervisor.find(processName));
      if (state.kind !== "running") return state;
      const isServed =
        configured?.processId === runningId() && configured?.subnets.some((it) => it.network === network);
      return isServed ? state : { ...state, kind: "starting" };
    },
    leases: async (nowMs) => leasesIn(await send("lease4-get-all"), nowMs),
  };
}

/**
 * It creates the folder of its socket itself: the daemon may not give a file to another user. The PID file of one that was killed
 * would keep the next from starting, because PIDs begin anew in each sandbox.
 */
const processSpec = (own: string, leases: string): ProcessSpec => ({
  name: processName,
  ...sandboxed({
    command: "env",
    args: [
      ...environment,
      "sh",
      "-c",
      `rm -rf ${ownFolder}/* && mkdir -m 0750 ${socketFolder} && exec ${server} -c /etc/kea.json`,
    ],
    userId: userOf(dhcpPort),
    shown: {},
    read: programs,
    written: { [ownFolder]: own, [leaseFolder]: leases },
    fromStdin: "/etc/kea.json",
    // A client has no address yet: packets to it cannot be sent by an ordinary socket.
    privileges: ["net_raw"],
    rules: { packetSockets: true },
    port: dhcpPort,
  }),
  stdin: JSON.stringify(renderKea([], process.arch)),
});

function driftOf(change: DhcpChange, { confinement: { loaded, now } }: ObservedDhcp): Drift[] {
  if (change.kind === "unresponsive") return [];
  // An interface that is gone took its chain with it.
  if (change.kind === "confinement")
    return loaded?.script === change.load.script ? differingLines(loaded.listing, now) : [];
  if (change.kind === "child") return driftOfProcesses([change.change]);
  const names = (all: readonly DhcpSubnet[]) => all.map(({ network }) => network).join(", ") || null;
  return [{ resource: "dhcp", field: "ranges", expected: names(change.subnets), actual: names(change.before) }];
}

const processName = "kea.dhcp4";
const dhcpPort = 67;
const answerMs = 5000;
/** The result of a command that found nothing. */
const empty = 3;
