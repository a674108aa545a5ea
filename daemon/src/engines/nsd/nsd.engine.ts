import { requestLoopback, requestUnix, retryUntilOpen } from "../../system/socket-request.ts";
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
  /** Where zone files lie, and what NSD writes; it begins with a slash, and nobody else may enter it. */
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
  /** It runs and cannot be spoken with. */
  | { readonly kind: "unresponsive" };

/** Nothing wanted (null) is no NSD. */
interface NsdEngine extends Engine<Authority | null, ObservedAuthority, AuthorityChange> {
  readonly state: () => ProgramState;
}

/** One NSD, kept running and confined. Zones come, change and go without a restart. */
export function nsdEngine({ system, supervisor, folder, query = requestLoopback }: Needs): NsdEngine {
  const own = `${folder}/own`;
  const zones = `${folder}/zones`;
  const loaded = `${folder}/loaded`;
  const fileOf = (name: string) => `${zones}/${name}.zone`;

  const say = async (command: string): Promise<string> =>
    requestUnix(`${own}/${controlSocket}`, `NSDCT1 ${command}\n`, answerMs);

  async function tell(command: string): Promise<string> {
    const answer = await say(command);
    // It says in so many words if a zone that is to be gone is gone already.
    if (!/^ok$/m.test(answer) && !answer.includes("not present")) throw new Error(`nsd: ${command}: ${answer.trim()}`);
    return answer;
  }

  const served = (): Promise<readonly string[] | undefined> =>
    retryUntilOpen(async () => parseZones(await say("zonestatus")));

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

  const childOf = ({ port, userId }: Authority): ProcessSpec => ({
    name: childName,
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
      await tell(`delzone ${change.name}`);
      system.remove(fileOf(change.name));
      return system.remove(`${loaded}/${change.name}`);
    }
    const { name, text } = change.zone;
    // As long as this is not there again, it is not certain what NSD has read.
    system.remove(`${loaded}/${name}`);
    system.writeAtomically(fileOf(name), text, 0o644);
    // One that was started anew may know the zone from before, and have read another file.
    const isNew = change.kind === "add" && !(await tell(`addzone ${name} ${pattern}`)).includes("already exists");
    if (!isNew) await tell(`reload ${name}`);
  }

  /** It says `ok` before it has read the file. Whoever asked it meanwhile would remember what was there before. */
  async function confirm({ change, port }: Extract<AuthorityChange, { kind: "zone" }>): Promise<void> {
    if (change.kind === "remove") return;
    const { name, text } = change.zone;
    const mark = new TextEncoder().encode(markOf(text));
    const isServed = () => query(port, markQuery(name), askedMs).then((answer) => Buffer.from(answer).includes(mark));
    for (const until = performance.now() + readingMs; !(await isServed().catch(() => false)); await pause(10))
      if (performance.now() > until) throw new Error(`nsd: ${name} is not served as it was written`);
    system.writeAtomically(`${loaded}/${name}`, system.digest(text), 0o600);
  }

  function makeFolders(): void {
    for (const [path, mode] of [
      [folder, 0o700],
      [loaded, 0o700],
      [zones, 0o755],
      [own, 0o777], // Somebody else's to write into, inside of a folder that nobody else enters.
    ] as const) {
      system.makeFolder(path, 0o700);
      system.restrict(path, mode);
    }
  }

  const observe = async (): Promise<ObservedAuthority> => {
    const isRunning = supervisor.find(childName)?.condition.kind === "running";
    const served_ = isRunning ? await served() : undefined;
    const kept = supervisor.find(childName);
    return { processes: kept ? [kept] : [], isRunning, served: served_, files: files() };
  };

  return {
    name: "nsd",
    observe,
    changes: (wanted, seen) => {
      const children = supervisor.changes(wanted ? [childOf(wanted)] : [], seen.processes);
      const started = children.map((change) => ({ kind: "child" as const, change }));
      if (!wanted) return started;
      if (children.length === 0 && seen.isRunning && !seen.served) return [{ kind: "unresponsive" }];
      // One that rests is told when it is back.
      if (children.length === 0 && !seen.isRunning) return [];
      // One that is started anew knows its zones from before; what it does not know is told to it in the same go.
      const texts = wanted.zones.filter(isServable).map((zone) => marked(zone, system.digest(zone.text)));
      const zones_ = zoneChanges(texts, seen, (text) => system.digest(text));
      return [...started, ...zones_.map((change) => ({ kind: "zone" as const, change, port: wanted.port }))];
    },
    drift: (changes) => changes.flatMap(driftOf),
    apply: async (changes) => {
      makeFolders();
      await supervisor.apply(changes.flatMap((it) => (it.kind === "child" ? [it.change] : [])));
      if (changes.some(({ kind }) => kind === "unresponsive")) throw new Error("nsd does not answer");
      const told_ = changes.filter((it) => it.kind === "zone");
      if (told_.length > 0 && !(await served())) throw new Error("nsd does not answer");
      const failures: unknown[] = [];
      for (const step of [(it: (typeof told_)[number]) => effect(it.change), confirm])
        for (const it of told_) await step(it).catch((error: unknown) => failures.push(error));
      if (failures.length > 0) throw failures[0] as Error;
    },
    state: () => programState(childName, undefined, supervisor.find(childName)),
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

const childName = "nsd.house";
const answerMs = 5000;
const askedMs = 1000;
/** For a hundred thousand names it takes half a second. */
const readingMs = 10_000;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
