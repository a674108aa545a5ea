import type { System } from "../../system/system.ts";
import { type ChildChange, childChanges, forgivenAfterMs, restMs } from "./supervisor.diff.ts";
import type { Child, Kept } from "./supervisor.model.ts";

interface Needs {
  readonly system: System;
  /** Where records of the children and what they say are kept; it begins with a slash. */
  readonly folder: string;
  /** A clock that nobody puts back. */
  readonly nowMs: () => number;
  /** A child ended, or one that rests may be started again: time for whoever wants it to look. */
  readonly onEnd: () => void;
}

/** Several engines share one keeper. Names of children begin with the engine's and a dot, and each sees only its own. */
export interface Keeper {
  observe(engine: string): readonly Kept[];
  /** One of them, without looking at the others. */
  find(name: string): Kept | undefined;
  /** What it has said since it was started, as far as that is kept. */
  said(name: string): string;
  changes(children: readonly Child[], kept: readonly Kept[]): readonly ChildChange[];
  /** Does what can be done; a child that cannot be started is one that died. */
  apply(changes: readonly ChildChange[]): Promise<void>;
  /** Ends a child that is of no use any more. Whoever wants it starts it again. */
  end(name: string): Promise<void>;
  /** When the first of those that rest may be started again. */
  retryAtMs(): number | undefined;
  /** Watches no longer. The children go on. */
  close(): void;
}

type Life = Running | Ended;

interface Running extends Past {
  readonly kind: "running";
  readonly processId: number;
  readonly began: string | undefined;
  readonly sinceMs: number;
}

interface Ended extends Past {
  readonly kind: "ended";
  readonly retryAtMs: number;
}

interface Past {
  readonly digest: string;
  readonly deaths: number;
  readonly reason: string;
}

const pollMs = 500;
const patienceMs = 2000;
const mostOutputBytes = 1 << 20;

/**
 * Keeps programs running. They are not tied to us: a daemon that starts finds those of the one before and goes on with
 * them. There is never a second one of a name while the first lives: a process tells by a word in its environment whose
 * it is, also if we were killed before we could write that down.
 */
export function keeper({ system, folder, nowMs, onEnd }: Needs): Keeper {
  const lives = new Map<string, Life>();
  const ending = new Set<string>();
  const recordOf = (name: string) => `${folder}/${name}.json`;
  const outputOf = (name: string) => `${folder}/${name}.output`;
  const wordOf = (name: string, digest = "") => `PORTCULLIS_CHILD=${folder}/${name}#${digest}`;
  let alarm: NodeJS.Timeout | undefined;

  system.makeFolder(folder, 0o700);
  adopt();
  const poll = setInterval(look, pollMs);
  poll.unref();

  /** A record tells of a child whatever it calls itself now; a word in its environment, also if no record was written. */
  function adopt(): void {
    const sinceMs = nowMs();
    const past = { deaths: 0, reason: "" };
    for (const file of system.list(folder).filter((it) => it.endsWith(".json"))) {
      const record = readRecord(system.readText(`${folder}/${file}`) ?? "");
      if (!record) continue;
      const { digest, processId, began } = record;
      const name = file.slice(0, -".json".length);
      if (system.processStart(processId) === began)
        lives.set(name, { kind: "running", processId, began, digest, sinceMs, ...past });
      else lives.set(name, { kind: "ended", retryAtMs: sinceMs, digest, deaths: 0, reason: "It ended unwatched" });
    }
    for (const { processId, word } of system.findProcesses(`PORTCULLIS_CHILD=${folder}/`)) {
      const [, name, digest] = /^.*\/([^/]+)#([0-9a-f]*)$/.exec(word) ?? [];
      if (name === undefined || digest === undefined || lives.get(name)?.kind === "running") continue;
      lives.set(name, { kind: "running", processId, began: system.processStart(processId), digest, sinceMs, ...past });
    }
  }

  /** Our own children tell when they end. Those of a daemon before us do not, so they are looked at. */
  function look(): void {
    for (const [name, life] of lives) lookAt(name, life);
  }

  function lookAt(name: string, life: Life): void {
    if (life.kind === "running" && !isAlive(life)) died(name, life, "It ended");
    else system.emptyAbove(outputOf(name), mostOutputBytes);
  }

  const isAlive = ({ processId, began }: Running): boolean =>
    began !== undefined && system.processStart(processId) === began;

  function died(name: string, life: Running, how: string): void {
    if (lives.get(name) !== life || ending.has(name)) return; // Noticed before, or told to end.
    const deaths = nowMs() - life.sinceMs >= forgivenAfterMs ? 1 : life.deaths + 1;
    rest(name, { digest: life.digest, deaths, reason: whyItEnded(how, system.readText(outputOf(name)) ?? "") });
  }

  function rest(name: string, past: Past): void {
    lives.set(name, { kind: "ended", retryAtMs: nowMs() + restMs(past.deaths), ...past });
    setAlarm();
    onEnd();
  }

  function setAlarm(): void {
    clearTimeout(alarm);
    const atMs = retryAtMs();
    if (atMs === undefined) return;
    alarm = setTimeout(
      () => {
        onEnd();
        setAlarm();
      },
      Math.max(1, atMs - nowMs()),
    );
    alarm.unref();
  }

  /** Those whose time has come already were announced. */
  function retryAtMs(): number | undefined {
    const now = nowMs();
    const times = [...lives.values()].flatMap((it) =>
      it.kind === "ended" && it.retryAtMs > now ? [it.retryAtMs] : [],
    );
    return times.length === 0 ? undefined : Math.min(...times);
  }

  async function start(child: Child, digest: string): Promise<void> {
    const { name, command, args, stdin, files = [] } = child;
    const before = lives.get(name);
    const deaths = before?.digest === digest ? before.deaths : 0;
    const past = { digest, deaths, reason: before?.reason ?? "" };
    try {
      await end(name);
      system.makeFolder(folder, 0o700); // Whoever tidies up a run folder shall not keep us from working.
      const onExit = (how: string) => void (lives.get(name) === life && died(name, life, how));
      const output = outputOf(name);
      const processId = system.launch("env", [wordOf(name, digest), command, ...args], {
        stdin,
        files,
        output,
        onExit,
      });
      const began = system.processStart(processId);
      const life: Running = { kind: "running", processId, began, sinceMs: nowMs(), ...past };
      lives.set(name, life);
      system.writeAtomically(recordOf(name), JSON.stringify({ processId, began, digest }), 0o600);
    } catch (error) {
      if (lives.has(name)) return; // It could not be ended, and says so.
      rest(name, { digest, deaths: deaths + 1, reason: (error as Error).message });
    }
  }

  /** One that cannot be ended stays known, so that none is started beside it. */
  async function end(name: string): Promise<void> {
    const life = lives.get(name);
    ending.add(name);
    try {
      if (life?.kind === "running" && isAlive(life)) await endProcess(life.processId);
      for (const { processId } of system.findProcesses(wordOf(name))) await endProcess(processId);
      lives.delete(name);
      system.remove(recordOf(name));
      system.remove(outputOf(name));
    } catch (error) {
      if (life) lives.set(name, { ...life, reason: (error as Error).message });
      throw error;
    } finally {
      ending.delete(name);
    }
  }

  /** How often it died is not forgotten, and one that rests goes on resting. */
  async function endForAnother(name: string): Promise<void> {
    const life = lives.get(name);
    if (life?.kind === "ended") return;
    // One that has just died was not ended by us: it rests like any other.
    if (life && !isAlive(life)) return died(name, life, "It ended");
    await end(name);
    if (!life) return;
    const { digest, deaths, reason } = life;
    lives.set(name, { kind: "ended", retryAtMs: nowMs(), digest, deaths, reason });
  }

  async function endProcess(processId: number): Promise<void> {
    const began = system.processStart(processId);
    const hasEnded = () => system.processStart(processId) !== began;
    if (began === undefined) return;
    system.signal(-processId, "SIGTERM"); // The group: one that only waits for others may be deaf to it.
    if (await soon(hasEnded)) return;
    system.signal(-processId, "SIGKILL");
    if (!(await soon(hasEnded))) throw new Error(`Process ${processId} cannot be ended`);
  }

  /** Of each child one thing is done at a time. */
  const turns = new Map<string, Promise<void>>();
  async function inTurn(name: string, task: () => Promise<void>): Promise<void> {
    const before = turns.get(name) ?? Promise.resolve();
    const turn = before.then(task, task);
    turns.set(name, turn);
    await turn.finally(() => turns.get(name) === turn && turns.delete(name));
  }

  return {
    observe: (engine) => {
      look();
      return [...lives]
        .filter(([name]) => name.startsWith(`${engine}.`))
        .map(([name, life]) => keptOf(name, life, nowMs()));
    },
    find: (name) => {
      const life = lives.get(name);
      if (life) lookAt(name, life);
      return life && keptOf(name, lives.get(name) ?? life, nowMs());
    },
    said: (name) => system.readText(outputOf(name)) ?? "",
    changes: (children, kept) =>
      childChanges(
        children.map((child) => ({ child, digest: digestOf(system, child) })),
        kept,
      ),
    apply: async (changes) => {
      await Promise.all(
        changes.map(
          (change) =>
            change.kind === "start"
              ? inTurn(change.child.name, () => start(change.child, change.digest))
              : inTurn(change.name, () => end(change.name).catch(() => {})), // It stays known, with the reason.
        ),
      );
    },
    end: async (name) => {
      await inTurn(name, () => endForAnother(name));
      onEnd();
    },
    retryAtMs,
    close: () => {
      clearInterval(poll);
      clearTimeout(alarm);
    },
  };
}

function keptOf(name: string, life: Life, nowMs: number): Kept {
  const { digest, deaths, reason } = life;
  if (life.kind === "running")
    return { name, digest, deaths, reason, condition: { kind: "running", processId: life.processId } };
  const isDue = life.retryAtMs <= nowMs;
  return {
    name,
    digest,
    deaths,
    reason,
    condition: isDue ? { kind: "due" } : { kind: "resting", untilMs: life.retryAtMs },
  };
}

const digestOf = (system: System, { command, args, stdin, files = [] }: Child): string =>
  system.digest(JSON.stringify([command, args, stdin, ...files.map((it) => [...it])]));

interface Entry {
  readonly processId: number;
  readonly began: string;
  readonly digest: string;
}

/** A record that says anything else was not written to its end, and tells nothing. */
function readRecord(text: string): Entry | undefined {
  try {
    const { processId, began, digest } = JSON.parse(text) as Partial<Entry>;
    if (!Number.isSafeInteger(processId) || typeof began !== "string" || typeof digest !== "string") return undefined;
    return { processId: processId!, began, digest };
  } catch {
    return undefined; // Not JSON.
  }
}

/** Who is killed has no time for last words. */
const whyItEnded = (how: string, output: string): string =>
  how.startsWith("SIG") ? `It was killed (${how})` : lastWords(output) || how;

function lastWords(output: string): string {
  const missing = notFound.exec(output)?.[1];
  return missing === undefined ? output.trimEnd().split("\n").slice(-5).join("\n") : `${missing} is not installed`;
}

/** What programs that start others say of one that is not there. */
const notFound =
  /^(?:env|unshare|bwrap|setpriv): (?:failed to execute |execvp )?['‘]?([^\s:'’]+)['’]?: No such file or directory$/m;

/** Processes end without telling whoever did not start them, so they are asked. */
async function soon(isSo: () => boolean): Promise<boolean> {
  for (const until = performance.now() + patienceMs; performance.now() < until; )
    if (isSo()) return true;
    else await new Promise((resolve) => setTimeout(resolve, 20));
  return isSo();
}
