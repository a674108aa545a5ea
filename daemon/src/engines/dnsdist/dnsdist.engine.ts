import { type Reason, reported } from "@portcullis/contract/reason";
import { untilReady } from "../../system/async.ts";
import type { System } from "../../system/system.ts";
import { secureRandomBytes } from "../../system/tcp-dialog.ts";
import { sandboxed } from "../sandbox/sandbox.model.ts";
import { netfilter } from "../sandbox/seccomp.model.ts";
import { driftOfProcesses, type ProgramState, stateAmong } from "../sandbox/program-state.model.ts";
import type { Engine } from "../engine.ts";
import { changedProcess, type ProcessChange } from "../supervisor/supervisor.diff.ts";
import type { Supervisor } from "../supervisor/supervisor.ts";
import type { ProcessSpec, ProcessState } from "../supervisor/supervisor.model.ts";
import { keyBytes, consoleCommand } from "./console.ts";
import { type Frontend, portsOf } from "./dnsdist.model.ts";
import { type CacheListing, type FrontendStatistics, parseCached, parseStatistics } from "./dnsdist.parse.ts";
import { sandboxPaths, luaOf, renderFrontend, renderConfigure, renderSettings } from "./dnsdist.render.ts";

interface Needs {
  readonly system: System;
  readonly supervisor: Supervisor;
  /** Absolute. It holds the console's key and the scripts. */
  readonly folder: string;
  /** The folder of the filter policy, which all frontends read. */
  readonly policyFolder: string;
}

export interface ObservedFrontends {
  readonly processes: readonly ProcessState[];
  /** Process name → digest of its settings. Without processes that do not answer. */
  readonly settings: ReadonlyMap<string, string>;
}

/** A frontend to start, end or reconfigure. */
export type FrontendChange =
  | { readonly kind: "child"; readonly change: ProcessChange; readonly front: Frontend | undefined }
  | { readonly kind: "configure"; readonly front: Frontend };

/** What was flushed, for other caches. */
export type Flushed =
  | { readonly kind: "all" }
  | { readonly kind: "below"; readonly name: string }
  | { readonly kind: "names"; readonly names: readonly string[] };

export interface Dnsdist extends Engine<readonly Frontend[], ObservedFrontends, FrontendChange> {
  readonly states: (wanted: readonly Frontend[]) => readonly ProgramState[];
  readonly statistics: (front: Frontend) => Promise<FrontendStatistics>;
  /** In a pattern `*` matches anything and `?` one character. */
  readonly cache: (front: Frontend, limit: number, pattern?: string) => Promise<CacheListing>;
  readonly flush: (front: Frontend, pattern?: string) => Promise<Flushed>;
}

/**
 * One supervised, sandboxed dnsdist per egress. It is restarted only for settings that cannot change at run time;
 * upstreams, zones, limits and the like are set through its console.
 */
export function dnsdistEngine({ system, supervisor, folder, policyFolder }: Needs): Dnsdist {
  const failures = new Map<string, Reason>();
  const scripts = lazily(() => readScripts(system));
  const scriptFolder = lazily(() => `${folder}/lua-${system.digest(JSON.stringify(scripts())).slice(0, 16)}`);
  const key = lazily(() => readKey(system, folder));
  const runOnConsole = (port: number, words: string, limitMs?: number): Promise<string> =>
    consoleCommand(words, { port, key: base64(key()), ...(limitMs === undefined ? {} : { limitMs }) });
  const digestOf = (front: Frontend): string => system.digest(renderSettings(front));
  const configureCommand = (front: Frontend): string => renderConfigure(renderSettings(front), digestOf(front));

  async function observe(): Promise<ObservedFrontends> {
    const processes = supervisor.observe("dnsdist");
    const answers = await Promise.all(
      processes.filter(isRunning).map(async ({ name }) => [name, await settingsDigestOf(name)] as const),
    );
    return { processes, settings: new Map(answers.filter((it): it is [string, string] => it[1] !== undefined)) };
  }

  const settingsDigestOf = (name: string): Promise<string | undefined> =>
    runOnConsole(portsOf(numberOf(name)).console, "return portcullis.settingsDigest()", answerMs).then(
      (text) => text.trim(),
      () => undefined,
    );

  /** The specification has no runtime settings; they are added at the start. */
  function specOf(front: Frontend): ProcessSpec {
    const program = sandboxed({
      command: "dnsdist",
      args: ["--supervised", "--disable-syslog", "-C", sandboxPaths.configuration],
      userId: front.userId,
      shown: fileExists(system, front.caFile) ? { [sandboxPaths.issuers]: front.caFile } : {},
      read: { [sandboxPaths.scripts]: scriptFolder(), [sandboxPaths.policy]: policyFolder },
      privileges: front.isMapping ? ["net_admin"] : [],
      rules: front.isMapping ? { netlink: [netfilter] } : {},
      fromStdin: sandboxPaths.configuration,
      port: front.ports.frontend,
    });
    return { name: nameOf(front), ...program, stdin: renderFrontend(front, key()) };
  }

  function changes(wanted: readonly Frontend[], { processes, settings }: ObservedFrontends): readonly FrontendChange[] {
    const ofChildren = supervisor.changes(wanted.map(specOf), processes);
    const touched = new Set(ofChildren.map(changedProcess));
    const hasOtherSettings = (front: Frontend) => settings.get(nameOf(front)) !== digestOf(front);
    return [
      ...ofChildren.map((change) => ({
        kind: "child" as const,
        change,
        front: wanted.find((it) => nameOf(it) === changedProcess(change)),
      })),
      ...wanted
        .filter(
          (front) => !touched.has(nameOf(front)) && processes.some((it) => it.name === nameOf(front) && isRunning(it)),
        )
        .filter(hasOtherSettings)
        .map((front) => ({ kind: "configure" as const, front })),
    ];
  }

  async function start(change: ProcessChange, front: Frontend | undefined): Promise<void> {
    if (change.kind === "end" || !front) return supervisor.apply([change]);
    const stdin = `${change.spec.stdin}\n${configureCommand(front)}\n`;
    await supervisor.apply([{ ...change, spec: { ...change.spec, stdin } }]);
    await firstAnswer(front);
  }

  /** Queries a process that has just been started until it answers or ends. */
  async function firstAnswer(front: Frontend): Promise<void> {
    const name = nameOf(front);
    const isDone = async () => {
      const state = supervisor.find(name);
      if (!state || !isRunning(state)) return true; // The supervisor knows why.
      return (await settingsDigestOf(name)) === digestOf(front) || undefined;
    };
    if (!(await untilReady(isDone, { limitMs: startMs, everyMs: 25 })))
      throw new Error("It does not answer on its console");
  }

  async function configure(front: Frontend): Promise<void> {
    const answer = await runOnConsole(front.ports.console, `return ${configureCommand(front)}`);
    if (answer.trim() !== digestOf(front)) throw new Error(answer.trim());
  }

  /** A failure is part of the state as well. */
  async function effect(change: FrontendChange): Promise<void> {
    const name = change.kind === "configure" ? nameOf(change.front) : changedProcess(change.change);
    try {
      if (change.kind === "configure") await configure(change.front);
      else await start(change.change, change.front);
      failures.delete(name);
    } catch (error) {
      failures.set(name, reported((error as Error).message));
      throw error;
    }
  }

  function writeScripts(): void {
    system.makeFolder(folder, 0o700);
    system.makeFolder(policyFolder, 0o755);
    system.makeFolder(scriptFolder(), 0o755);
    system.restrict(scriptFolder(), 0o755);
    const there = system.list(scriptFolder());
    // Never twice: the folder is named after its content, and a running dnsdist may still read there.
    for (const [file, text] of Object.entries(scripts()))
      if (!there.includes(file)) system.writeAtomically(`${scriptFolder()}/${file}`, text, 0o644);
  }

  async function flush({ ports }: Frontend, pattern = "*"): Promise<Flushed> {
    const normalized = pattern.toLowerCase().replace(/(?<=.)\.$/, "");
    const below = /^\*\.([^*?]+)$/.exec(normalized)?.[1];
    if (normalized === "*") {
      await runExpecting("[]", ports.console, "portcullis.flushAll()");
      return { kind: "all" };
    }
    if (below !== undefined) {
      await runExpecting("[]", ports.console, `portcullis.flushName(${luaOf(`${below}.`)}, true)`);
      return { kind: "below", name: below };
    }
    if (!/[*?]/.test(normalized)) {
      await runExpecting("[]", ports.console, `portcullis.flushName(${luaOf(`${normalized}.`)}, false)`);
      return { kind: "names", names: [normalized] };
    }
    const answer = await runOnConsole(ports.console, `return portcullis.flushMatching(${luaOf(normalized)})`, listMs);
    return { kind: "names", names: JSON.parse(answer) as readonly string[] };
  }

  async function runExpecting(expected: string, port: number, words: string): Promise<void> {
    const answer = (await runOnConsole(port, `return ${words}`)).trim();
    if (answer !== expected) throw new Error(answer);
  }

  return {
    name: "dnsdist",
    observe,
    changes,
    apply: async (all) => {
      writeScripts();
      // A failure does not affect the others. It is retried.
      const done = await Promise.allSettled(all.map(effect));
      const failure = done.find((it) => it.status === "rejected");
      if (failure) throw failure.reason as Error;
    },
    drift: (all) => [
      ...driftOfProcesses(all.flatMap((it) => (it.kind === "child" ? [it.change] : []))),
      ...all.flatMap((it) =>
        it.kind === "configure"
          ? [{ resource: nameOf(it.front), field: "settings", expected: "as wanted", actual: "other" }]
          : [],
      ),
    ],
    states: (wanted) => {
      const processes = supervisor.observe("dnsdist");
      return wanted.map((front) =>
        stateAmong(processes, nameOf(front), { name: front.egress, impediment: failures.get(nameOf(front)) }),
      );
    },
    statistics: async ({ ports }) => {
      const [json, table] = [
        await runOnConsole(ports.console, "return portcullis.statistics()"),
        await runOnConsole(ports.console, "showServers()"),
      ];
      return parseStatistics(json, table);
    },
    cache: async ({ ports }, limit, pattern = "*") =>
      parseCached(
        await runOnConsole(
          ports.console,
          `return portcullis.cached(${luaOf(pattern.toLowerCase())}, ${limit})`,
          listMs,
        ),
      ),
    flush,
  };
}

/** It answers within milliseconds, or hangs; a whole cache takes longer. */
const answerMs = 1000;
const startMs = 5000;
const listMs = 20_000;

const prefix = "dnsdist.";
const nameOf = ({ number }: Frontend): string => `${prefix}${number}`;
const numberOf = (name: string): number => Number(name.slice(prefix.length));
const isRunning = ({ condition }: ProcessState): boolean => condition.kind === "running";

/** Beside this file, and beside the built program: the build copies them. */
function readScripts(system: System): Readonly<Record<string, string>> {
  const source = `${import.meta.dirname}/lua`;
  const files = system.list(source).filter((file) => file.endsWith(".lua"));
  if (files.length === 0) throw new Error(`There are no scripts in ${source}`);
  return Object.fromEntries(files.toSorted().map((file) => [file, system.readText(`${source}/${file}`)!]));
}

/** Created once per folder, so that a new daemon can control running processes. */
function readKey(system: System, folder: string): string {
  const path = `${folder}/console.key`;
  const known = system.readText(path)?.trim();
  if (known !== undefined && base64(known).length === keyBytes) return known;
  const made = Buffer.from(secureRandomBytes(keyBytes)).toString("base64");
  system.makeFolder(folder, 0o700);
  system.writeAtomically(path, made, 0o600);
  return made;
}

const base64 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "base64"));

/** A missing file of issuers does not prevent the start; TLS upstreams then fail validation. */
function fileExists(system: System, path: string): boolean {
  const at = path.lastIndexOf("/");
  return system.list(path.slice(0, at) || "/").includes(path.slice(at + 1));
}

function lazily<T>(make: () => T): () => T {
  let made: { readonly it: T } | undefined;
  return () => (made ??= { it: make() }).it;
}
