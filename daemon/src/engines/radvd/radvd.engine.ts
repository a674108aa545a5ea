import { untilReady } from "../../system/async.ts";
import type { System } from "../../system/system.ts";
import type { Drift, Engine } from "../engine.ts";
import { driftOfProcesses, programState, type ProgramState } from "../sandbox/program-state.model.ts";
import { sandboxed } from "../sandbox/sandbox.model.ts";
import { changedProcess, type ProcessChange } from "../supervisor/supervisor.diff.ts";
import type { ProcessSpec, ProcessState } from "../supervisor/supervisor.model.ts";
import type { Supervisor } from "../supervisor/supervisor.ts";
import { type Advertisement, advertiserUser } from "./radvd.model.ts";
import { timesReloaded } from "./radvd.parse.ts";
import { renderRadvd } from "./radvd.render.ts";

interface Needs {
  readonly system: System;
  readonly supervisor: Supervisor;
  /** Absolute, and inside a folder that no other user can enter. It is kept until the next boot. */
  readonly folder: string;
}

export interface ObservedAdvertisers {
  readonly processes: readonly ProcessState[];
  /** By process name. */
  readonly settings: ReadonlyMap<string, Settings>;
}

interface Settings {
  readonly text: string;
  /** The process that has read a text, and the digest of that text. */
  readonly loaded: string;
}

export type AdvertiserChange =
  | { readonly kind: "child"; readonly change: ProcessChange; readonly text: string }
  | { readonly kind: "reload"; readonly name: string; readonly text: string; readonly before: string };

interface RadvdEngine extends Engine<readonly Advertisement[], ObservedAdvertisers, AdvertiserChange> {
  /** Of the program of one interface. */
  readonly state: (wanted: Advertisement) => ProgramState;
}

/**
 * One supervised, sandboxed radvd per interface. A change is read without an interruption; an interface that is no longer wanted
 * ends its program, which withdraws router, prefixes and resolvers.
 */
export function radvdEngine({ system, supervisor, folder }: Needs): RadvdEngine {
  const folderOf = (name: string) => `${folder}/${name}`;
  const fileOf = (name: string) => `${folderOf(name)}/${settingsFile}`;
  const recordOf = (name: string) => `${folder}/${name}${recordSuffix}`;
  const recordText = (processId: number, text: string) => `${processId} ${system.digest(text)}`;

  function runningId(name: string): number | undefined {
    const condition = supervisor.find(name)?.condition;
    return condition?.kind === "running" ? condition.processId : undefined;
  }

  function hasLoaded(name: string, text: string): boolean {
    const processId = runningId(name);
    return processId !== undefined && system.readText(recordOf(name)) === recordText(processId, text);
  }

  function write(name: string, text: string): void {
    for (const path of [folder, folderOf(name)]) {
      system.makeFolder(path, 0o755);
      system.restrict(path, 0o755);
    }
    // Until it is written again, it is unknown what the program has read.
    system.remove(recordOf(name));
    // radvd refuses a file that others can write.
    system.writeAtomically(fileOf(name), text, 0o644);
  }

  function remember(name: string, text: string): void {
    const processId = runningId(name);
    if (processId !== undefined) system.writeAtomically(recordOf(name), recordText(processId, text), 0o600);
  }

  /** A signal before radvd has installed its handler is lost, so the reload counts only when radvd reports it. */
  async function reload(name: string, text: string): Promise<void> {
    const processId = runningId(name);
    if (processId === undefined) return; // It reads the new settings when it starts.
    const before = timesReloaded(supervisor.output(name));
    system.signal(-processId, "SIGHUP");
    const isDone = () => timesReloaded(supervisor.output(name)) > before || runningId(name) === undefined || undefined;
    if (!(await untilReady(async () => isDone(), { limitMs: reloadMs, everyMs: 20 })))
      throw new Error(`${name} does not read its configuration again`);
    remember(name, text);
  }

  const specOf = ({ interface: device }: Advertisement): ProcessSpec => {
    const name = nameOf(device);
    const { command, args, files } = sandboxed({
      command: "radvd",
      args: ["--nodaemon", "--logmethod", "stderr", "--config", `${ownFolder}/${settingsFile}`, "--pidfile", pidFile],
      userId: advertiserUser,
      shown: {},
      // Where forwarding is off, or it cannot be read, it advertises that this is no router.
      read: { [ownFolder]: folderOf(name), [forwardingSetting]: forwardingSetting },
      // It looks up root to check who may write its configuration.
      fromStdin: "/etc/passwd",
      privileges: ["net_raw"],
      rules: { icmpv6Sockets: true },
      port: unprivilegedPort,
    });
    // The signal for a reload is sent to all processes of the sandbox: only radvd may react.
    return { name, command: "env", args: ["--ignore-signal=HUP", command, ...args], files, stdin: rootOnly };
  };

  return {
    name: "radvd",
    observe: async () => ({
      processes: supervisor.observe("radvd"),
      settings: new Map(
        system
          .list(folder)
          .filter((name) => !name.endsWith(recordSuffix))
          .map((name) => [
            name,
            { text: system.readText(fileOf(name)) ?? "", loaded: system.readText(recordOf(name)) ?? "" },
          ]),
      ),
    }),
    changes: (wanted, { processes, settings }) => {
      const texts = new Map(wanted.map((it) => [nameOf(it.interface), renderRadvd(it)]));
      const children = supervisor.changes(wanted.map(specOf), processes);
      const changed = new Set(children.map(changedProcess));
      const reloads = [...texts].flatMap(([name, text]): AdvertiserChange[] => {
        const condition = processes.find((it) => it.name === name)?.condition;
        // In backoff: it reads the file when it starts.
        if (changed.has(name) || condition?.kind !== "running") return [];
        const seen = settings.get(name);
        const isLoaded = seen?.text === text && seen.loaded === recordText(condition.processId, text);
        return isLoaded ? [] : [{ kind: "reload", name, text, before: seen?.text ?? "" }];
      });
      return [
        ...children.map((change) => ({
          kind: "child" as const,
          change,
          text: texts.get(changedProcess(change)) ?? "",
        })),
        ...reloads,
      ];
    },
    drift: (changes) => changes.flatMap(driftOf),
    apply: async (changes) => {
      const children = changes.filter((it) => it.kind === "child");
      const started = children.filter(({ change }) => change.kind === "start");
      for (const { change, text } of started) write(changedProcess(change), text);
      await supervisor.apply(children.map(({ change }) => change));
      for (const { change, text } of started) remember(changedProcess(change), text);
      for (const { change } of children)
        if (change.kind === "end") for (const path of [recordOf, fileOf]) system.remove(path(change.name));
      const failures: unknown[] = [];
      for (const it of changes) {
        if (it.kind !== "reload") continue;
        write(it.name, it.text);
        await reload(it.name, it.text).catch((error: unknown) => failures.push(error));
      }
      if (failures.length > 0) throw failures[0] as Error;
    },
    state: (wanted) => {
      const name = nameOf(wanted.interface);
      const state = programState(name, undefined, supervisor.find(name));
      if (state.kind !== "running" || hasLoaded(name, renderRadvd(wanted))) return state;
      return { ...state, kind: "starting" };
    },
  };
}

function driftOf(change: AdvertiserChange): Drift[] {
  if (change.kind === "child") return driftOfProcesses([change.change]);
  if (change.before === change.text) return [];
  return [{ resource: change.name, field: "configuration", expected: change.text, actual: change.before || null }];
}

/** It becomes a file name. */
const nameOf = (device: string): string => `radvd.${device}`;

/** Paths inside the sandbox. */
const ownFolder = "/etc/radvd";
const settingsFile = "radvd.conf";
const pidFile = "/tmp/radvd.pid";
const forwardingSetting = "/proc/sys/net/ipv6/conf/all/forwarding";
const rootOnly = "root:x:0:0::/:/bin/false\n";

const recordSuffix = ".loaded";
const reloadMs = 2000;
/** It listens on no port. */
const unprivilegedPort = 65_535;
