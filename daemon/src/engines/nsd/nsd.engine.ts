import { requestLoopback, requestUnix, retryUntilOpen } from "../../system/socket-request.ts";
import { untilReady } from "../../system/async.ts";
import type { System } from "../../system/system.ts";
import { sandboxed } from "../sandbox/sandbox.model.ts";
import { driftOfProcesses, programState, type ProgramState } from "../sandbox/program-state.model.ts";
import type { Drift, Engine } from "../engine.ts";
import type { ProcessChange } from "../supervisor/supervisor.diff.ts";
import type { Supervisor } from "../supervisor/supervisor.ts";
import type { ProcessSpec, ProcessState } from "../supervisor/supervisor.model.ts";
import { type ZoneChange, zoneChanges, type ObservedZones } from "./nsd.diff.ts";
import type { Authority } from "./nsd.model.ts";
import { parseZones } from "./nsd.parse.ts";
import { controlSocket, ownFolder, pattern, renderNsd, zonesFolder } from "./nsd.render.ts";
import { marked, markOf, markQuery } from "./zone.mark.model.ts";

interface Needs {
  readonly system: System;
  readonly supervisor: Supervisor;
  /** Absolute. It holds the zone files and NSD's own files; no other user can enter it. */
  readonly folder: string;
  readonly query?: typeof requestLoopback;
}

export interface ObservedAuthority extends ObservedZones {
  readonly processes: readonly ProcessState[];
  readonly isRunning: boolean;
}

export type AuthorityChange =
  | { readonly kind: "child"; readonly change: ProcessChange }
  | { readonly kind: "zone"; readonly change: ZoneChange; readonly port: number }
  /** It runs, but does not answer. */
  | { readonly kind: "unresponsive" };

/** Nothing wanted (null) is no NSD. */
interface NsdEngine extends Engine<Authority | null, ObservedAuthority, AuthorityChange> {
  readonly state: () => ProgramState;
}

/** One supervised, sandboxed NSD. Zones are added, changed and removed without a restart. */
export function nsdEngine({ system, supervisor, folder, query = requestLoopback }: Needs): NsdEngine {
  const own = `${folder}/own`;
  const zones = `${folder}/zones`;
  const loaded = `${folder}/loaded`;
  const fileOf = (name: string) => `${zones}/${name}.zone`;

  const send = async (command: string): Promise<string> =>
    requestUnix(`${own}/${controlSocket}`, `NSDCT1 ${command}\n`, answerMs);

  async function runCommand(command: string): Promise<string> {
    const answer = await send(command);
    // It reports if the zone to remove does not exist.
    if (!/^ok$/m.test(answer) && !answer.includes("not present")) throw new Error(`nsd: ${command}: ${answer.trim()}`);
    return answer;
  }

  const served = (): Promise<readonly string[] | undefined> =>
    retryUntilOpen(async () => parseZones(await send("zonestatus")));

  const files = (): ObservedAuthority["files"] =>
    new Map(
      system
        .list(zones)
        .filter((file) => file.endsWith(".zone"))
        .map((file) => file.slice(0, -".zone".length))
        .map((name) => [
          name,
          { text: system.readText(fileOf(name)) ?? "", loadedDigest: system.readText(`${loaded}/${name}`) ?? "" },
        ]),
    );

  const specOf = ({ port, userId }: Authority): ProcessSpec => ({
    name: processName,
    ...sandboxed({
      command: "nsd",
      args: ["-d", "-c", "/etc/nsd.conf"],
      userId,
      shown: {},
      read: { [zonesFolder]: zones },
      written: { [ownFolder]: own },
      fromStdin: "/etc/nsd.conf",
      port,
    }),
    stdin: renderNsd({ port }),
  });

  async function effect(change: ZoneChange): Promise<void> {
    if (change.kind === "remove") {
      await runCommand(`delzone ${change.name}`);
      system.remove(fileOf(change.name));
      return system.remove(`${loaded}/${change.name}`);
    }
    const { name, text } = change.zone;
    // Until this is written again, it is unknown what NSD has loaded.
    system.remove(`${loaded}/${name}`);
    system.writeAtomically(fileOf(name), text, 0o644);
    // After a restart NSD may know the zone, with the old file.
    const isNew = change.kind === "add" && !(await runCommand(`addzone ${name} ${pattern}`)).includes("already exists");
    if (!isNew) await runCommand(`reload ${name}`);
  }

  /** NSD answers `ok` before it has read the file. A resolver that queried it meanwhile would cache the old records. */
  async function confirm({ change, port }: Extract<AuthorityChange, { kind: "zone" }>): Promise<void> {
    if (change.kind === "remove") return;
    const { name, text } = change.zone;
    const mark = new TextEncoder().encode(markOf(text));
    const isServed = () => query(port, markQuery(name), queryMs).then((answer) => Buffer.from(answer).includes(mark));
    const confirmed = () =>
      isServed().then(
        (yes) => yes || undefined,
        () => undefined,
      );
    if (!(await untilReady(confirmed, { limitMs: readingMs, everyMs: 10 })))
      throw new Error(`nsd: ${name} is not served as written`);
    system.writeAtomically(`${loaded}/${name}`, system.digest(text), 0o600);
  }

  function makeFolders(): void {
    for (const [path, mode] of [
      [folder, 0o700],
      [loaded, 0o700],
      [zones, 0o755],
      [own, 0o777], // Writable for its user, inside a folder that no other user can enter.
    ] as const) {
      system.makeFolder(path, 0o700);
      system.restrict(path, mode);
    }
  }

  const observe = async (): Promise<ObservedAuthority> => {
    const isRunning = supervisor.find(processName)?.condition.kind === "running";
    const served_ = isRunning ? await served() : undefined;
    const kept = supervisor.find(processName);
    return { processes: kept ? [kept] : [], isRunning, served: served_, files: files() };
  };

  return {
    name: "nsd",
    observe,
    changes: (wanted, seen) => {
      const children = supervisor.changes(wanted ? [specOf(wanted)] : [], seen.processes);
      const started = children.map((change) => ({ kind: "child" as const, change }));
      if (!wanted) return started;
      if (children.length === 0 && seen.isRunning && !seen.served) return [{ kind: "unresponsive" }];
      // In backoff: the zones follow when it runs again.
      if (children.length === 0 && !seen.isRunning) return [];
      // After a restart it knows its former zones; new ones are added in the same apply.
      const texts = wanted.zones.filter(isServable).map((zone) => marked(zone, system.digest(zone.text)));
      const zones_ = zoneChanges(texts, seen, (text) => system.digest(text));
      return [...started, ...zones_.map((change) => ({ kind: "zone" as const, change, port: wanted.port }))];
    },
    drift: (changes) => changes.flatMap(driftOf),
    apply: async (changes) => {
      makeFolders();
      await supervisor.apply(changes.flatMap((it) => (it.kind === "child" ? [it.change] : [])));
      if (changes.some(({ kind }) => kind === "unresponsive")) throw new Error("nsd does not answer");
      const zoneUpdates = changes.filter((it) => it.kind === "zone");
      if (zoneUpdates.length > 0 && !(await served())) throw new Error("nsd does not answer");
      const failures: unknown[] = [];
      for (const step of [(it: (typeof zoneUpdates)[number]) => effect(it.change), confirm])
        for (const it of zoneUpdates) await step(it).catch((error: unknown) => failures.push(error));
      if (failures.length > 0) throw failures[0] as Error;
    },
    state: () => programState(processName, undefined, supervisor.find(processName)),
  };
}

/** Its name becomes a file name and a word of a command. */
const isServable = ({ name }: { readonly name: string }): boolean => /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(name);

function driftOf(change: AuthorityChange): Drift[] {
  if (change.kind === "unresponsive") return [];
  if (change.kind === "child") return driftOfProcesses([change.change]);
  if (change.change.kind === "remove")
    return [{ resource: change.change.name, field: "zone", expected: null, actual: "served" }];
  const actual = change.change.kind === "add" ? null : "another";
  return [{ resource: change.change.zone.name, field: "zone", expected: "served", actual }];
}

const processName = "nsd.local";
const answerMs = 5000;
const queryMs = 1000;
/** For a hundred thousand names it takes half a second. */
const readingMs = 10_000;
