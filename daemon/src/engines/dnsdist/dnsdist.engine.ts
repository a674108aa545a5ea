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
  /** Where the console's key and the scripts lie; it begins with a slash. */
  readonly folder: string;
  /** Where the book lies, which all fronts read. */
  readonly policyFolder: string;
}

export interface ObservedFrontends {
  readonly processes: readonly ProcessState[];
  /** Child → digest of what it was told last. One that does not answer is not among them. */
  readonly settings: ReadonlyMap<string, string>;
}

/** A front to start or end, or one that runs and is to be told something else. */
export type FrontendChange =
  | { readonly kind: "child"; readonly change: ProcessChange; readonly front: Frontend | undefined }
  | { readonly kind: "tell"; readonly front: Frontend };

/** What was forgotten, for whoever else remembers it. */
export type Flushed =
  | { readonly kind: "all" }
  | { readonly kind: "below"; readonly name: string }
  | { readonly kind: "names"; readonly names: readonly string[] };

export interface Dnsdist extends Engine<readonly Frontend[], ObservedFrontends, FrontendChange> {
  readonly states: (wanted: readonly Frontend[]) => readonly ProgramState[];
  readonly statistics: (front: Frontend) => Promise<FrontendStatistics>;
  /** In a pattern `*` stands for anything and `?` for one sign. */
  readonly cache: (front: Frontend, limit: number, pattern?: string) => Promise<CacheListing>;
  readonly flush: (front: Frontend, pattern?: string) => Promise<Flushed>;
}

/**
 * One dnsdist for each way out, kept running and confined. It is started anew only for what it cannot learn otherwise;
 * upstreams, zones, limits and the like are told by its console while it answers.
 */
export function dnsdistEngine({ system, supervisor, folder, policyFolder }: Needs): Dnsdist {
  const failures = new Map<string, string>();
  const scripts = lazily(() => readScripts(system));
  const scriptFolder = lazily(() => `${folder}/lua-${system.digest(JSON.stringify(scripts())).slice(0, 16)}`);
  const key = lazily(() => readKey(system, folder));
  const say = (port: number, words: string, limitMs?: number): Promise<string> =>
    consoleCommand(words, { port, key: base64(key()), ...(limitMs === undefined ? {} : { limitMs }) });
  const digestOf = (front: Frontend): string => system.digest(renderSettings(front));
  const telling = (front: Frontend): string => renderConfigure(renderSettings(front), digestOf(front));

  async function observe(): Promise<ObservedFrontends> {
    const processes = supervisor.observe("dnsdist");
    const answers = await Promise.all(
      processes.filter(isRunning).map(async ({ name }) => [name, await toldTo(name)] as const),
    );
    return { processes, settings: new Map(answers.filter((it): it is [string, string] => it[1] !== undefined)) };
  }

  const toldTo = (name: string): Promise<string | undefined> =>
    say(portsOf(numberOf(name)).console, "return portcullis.told()", answerMs).then(
      (text) => text.trim(),
      () => undefined,
    );

  /** What may change while it runs is no part of what it is known by; it is added when it is started. */
  function childOf(front: Frontend): ProcessSpec {
    const program = sandboxed({
      command: "dnsdist",
      args: ["--supervised", "--disable-syslog", "-C", sandboxPaths.configuration],
      userId: front.userId,
      shown: fileExists(system, front.caFile) ? { [sandboxPaths.issuers]: front.caFile } : {},
      read: { [sandboxPaths.scripts]: scriptFolder(), [sandboxPaths.book]: policyFolder },
      privileges: front.isMapping ? ["net_admin"] : [],
      rules: front.isMapping ? { netlink: [netfilter] } : {},
      fromStdin: sandboxPaths.configuration,
      port: front.ports.frontend,
    });
    return { name: nameOf(front), ...program, stdin: renderFrontend(front, key()) };
  }

  function changes(wanted: readonly Frontend[], { processes, settings }: ObservedFrontends): readonly FrontendChange[] {
    const ofChildren = supervisor.changes(wanted.map(childOf), processes);
    const touched = new Set(ofChildren.map(changedProcess));
    const isOtherwise = (front: Frontend) => settings.get(nameOf(front)) !== digestOf(front);
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
        .filter(isOtherwise)
        .map((front) => ({ kind: "tell" as const, front })),
    ];
  }

  async function start(change: ProcessChange, front: Frontend | undefined): Promise<void> {
    if (change.kind === "end" || !front) return supervisor.apply([change]);
    const stdin = `${change.spec.stdin}\n${telling(front)}\n`;
    await supervisor.apply([{ ...change, spec: { ...change.spec, stdin } }]);
    await firstAnswer(front);
  }

  /** One that has just been started is asked until it answers, or is no more. */
  async function firstAnswer(front: Frontend): Promise<void> {
    const name = nameOf(front);
    for (const until = performance.now() + startMs; performance.now() < until; ) {
      const state = supervisor.find(name);
      if (!state || !isRunning(state)) return; // The supervisor knows why.
      if ((await toldTo(name)) === digestOf(front)) return;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    throw new Error("It does not answer on its console");
  }

  async function tell(front: Frontend): Promise<void> {
    const answer = await say(front.ports.console, `return ${telling(front)}`);
    if (answer.trim() !== digestOf(front)) throw new Error(answer.trim());
  }

  /** What went wrong is told in its state as well. */
  async function effect(change: FrontendChange): Promise<void> {
    const name = change.kind === "tell" ? nameOf(change.front) : changedProcess(change.change);
    try {
      if (change.kind === "tell") await tell(change.front);
      else await start(change.change, change.front);
      failures.delete(name);
    } catch (error) {
      failures.set(name, (error as Error).message);
      throw error;
    }
  }

  function layOut(): void {
    system.makeFolder(folder, 0o700);
    system.makeFolder(policyFolder, 0o755);
    system.makeFolder(scriptFolder(), 0o755);
    system.restrict(scriptFolder(), 0o755);
    const there = system.list(scriptFolder());
    // Never twice: a folder is named after what is in it, and threads of a dnsdist that runs may still read there.
    for (const [file, text] of Object.entries(scripts()))
      if (!there.includes(file)) system.writeAtomically(`${scriptFolder()}/${file}`, text, 0o644);
  }

  async function flush({ ports }: Frontend, pattern = "*"): Promise<Flushed> {
    const asked = pattern.toLowerCase().replace(/(?<=.)\.$/, "");
    const below = /^\*\.([^*?]+)$/.exec(asked)?.[1];
    if (asked === "*") {
      await sayFor("[]", ports.console, "portcullis.flushAll()");
      return { kind: "all" };
    }
    if (below !== undefined) {
      await sayFor("[]", ports.console, `portcullis.flushName(${luaOf(`${below}.`)}, true)`);
      return { kind: "below", name: below };
    }
    if (!/[*?]/.test(asked)) {
      await sayFor("[]", ports.console, `portcullis.flushName(${luaOf(`${asked}.`)}, false)`);
      return { kind: "names", names: [asked] };
    }
    const answer = await say(ports.console, `return portcullis.flushMatching(${luaOf(asked)})`, listMs);
    return { kind: "names", names: JSON.parse(answer) as readonly string[] };
  }

  async function sayFor(expected: string, port: number, words: string): Promise<void> {
    const answer = (await say(port, `return ${words}`)).trim();
    if (answer !== expected) throw new Error(answer);
  }

  return {
    name: "dnsdist",
    observe,
    changes,
    apply: async (all) => {
      layOut();
      // One that goes wrong does not keep the others waiting. It is tried again.
      const done = await Promise.allSettled(all.map(effect));
      const failure = done.find((it) => it.status === "rejected");
      if (failure) throw failure.reason as Error;
    },
    drift: (all) => [
      ...driftOfProcesses(all.flatMap((it) => (it.kind === "child" ? [it.change] : []))),
      ...all.flatMap((it) =>
        it.kind === "tell"
          ? [{ resource: nameOf(it.front), field: "told", expected: "as wanted", actual: "otherwise" }]
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
        await say(ports.console, "return portcullis.statistics()"),
        await say(ports.console, "showServers()"),
      ];
      return parseStatistics(json, table);
    },
    cache: async ({ ports }, limit, pattern = "*") =>
      parseCached(
        await say(ports.console, `return portcullis.cached(${luaOf(pattern.toLowerCase())}, ${limit})`, listMs),
      ),
    flush,
  };
}

/** It answers within milliseconds, or stands still; a whole cache takes longer. */
const answerMs = 1000;
const startMs = 5000;
const listMs = 20_000;

const prefix = "dnsdist.";
const nameOf = ({ number }: Frontend): string => `${prefix}${number}`;
const numberOf = (name: string): number => Number(name.slice(prefix.length));
const isRunning = ({ condition }: ProcessState): boolean => condition.kind === "running";

/** Beside this file, and beside the program that is made of it: the build copies them. */
function readScripts(system: System): Readonly<Record<string, string>> {
  const source = `${import.meta.dirname}/lua`;
  const files = system.list(source).filter((file) => file.endsWith(".lua"));
  if (files.length === 0) throw new Error(`There are no scripts in ${source}`);
  return Object.fromEntries(files.toSorted().map((file) => [file, system.readText(`${source}/${file}`)!]));
}

/** Made once for as long as the folder is there, so that a daemon that starts can speak with those that run. */
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

/** An issuer's file that is missing keeps nobody from starting; who asks by TLS then is told that nobody is trusted. */
function fileExists(system: System, path: string): boolean {
  const at = path.lastIndexOf("/");
  return system.list(path.slice(0, at) || "/").includes(path.slice(at + 1));
}

function lazily<T>(make: () => T): () => T {
  let made: { readonly it: T } | undefined;
  return () => (made ??= { it: make() }).it;
}
