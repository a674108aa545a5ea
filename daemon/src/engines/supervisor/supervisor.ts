import type { System } from "../../system/system.ts";
import { type ProcessChange, processChanges, stableAfterMs, backoffMs } from "./supervisor.diff.ts";
import type { ProcessSpec, ProcessState } from "./supervisor.model.ts";

interface Needs {
  readonly system: System;
  /** Where records of the children and what they say are running; it begins with a slash. */
  readonly folder: string;
  /** A clock that nobody puts back. */
  readonly nowMs: () => number;
  /** A child ended, or one that rests may be started again: time for whoever wants it to look. */
  readonly onExit: () => void;
}

/** Several engines share one keeper. Names of children begin with the engine's and a dot, and each sees only its own. */
export interface Supervisor {
  observe(engine: string): readonly ProcessState[];
  /** One of them, without looking at the others. */
  find(name: string): ProcessState | undefined;
  /** What it has said since it was started, as far as that is running. */
  output(name: string): string;
  changes(children: readonly ProcessSpec[], running: readonly ProcessState[]): readonly ProcessChange[];
  /** Does what can be done; a child that cannot be started is one that died. */
  apply(changes: readonly ProcessChange[]): Promise<void>;
  /** Ends a child that is of no use any more. Whoever wants it starts it again. */
  end(name: string): Promise<void>;
  /** When the first of those that rest may be started again. */
  retryAtMs(): number | undefined;
  /** Watches no longer. The children go on. */
  close(): void;
}

type ProcessRecord = Running | Exited;

interface Running extends History {
  readonly kind: "running";
  readonly processId: number;
  readonly began: string | undefined;
  readonly sinceMs: number;
}

interface Exited extends History {
  readonly kind: "ended";
  readonly retryAtMs: number;
}

interface History {
  readonly digest: string;
  readonly crashes: number;
  readonly reason: string;
}

const pollMs = 500;
const terminationMs = 2000;
const maxOutputBytes = 1 << 20;

/**
 * Keeps programs running. They are not tied to us: a daemon that starts finds those of the one before and goes on with
 * them. There is never a second one of a name while the first lives: a process tells by a word in its environment whose
 * it is, also if we were killed before we could write that down.
 */
export function supervisor({ system, folder, nowMs, onExit }: Needs): Supervisor {
  const lives = new Map<string, ProcessRecord>();
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
    const past = { crashes: 0, reason: "" };
    for (const file of system.list(folder).filter((it) => it.endsWith(".json"))) {
      const record = readRecord(system.readText(`${folder}/${file}`) ?? "");
      if (!record) continue;
      const { digest, processId, began } = record;
      const name = file.slice(0, -".json".length);
      if (system.processStart(processId) === began)
        lives.set(name, { kind: "running", processId, began, digest, sinceMs, ...past });
      else lives.set(name, { kind: "ended", retryAtMs: sinceMs, digest, crashes: 0, reason: "It ended unwatched" });
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

  function lookAt(name: string, life: ProcessRecord): void {
    if (life.kind === "running" && !isAlive(life)) died(name, life, "It ended");
    else system.emptyAbove(outputOf(name), maxOutputBytes);
  }

  const isAlive = ({ processId, began }: Running): boolean =>
    began !== undefined && system.processStart(processId) === began;

  function died(name: string, life: Running, how: string): void {
    if (lives.get(name) !== life || ending.has(name)) return; // Noticed before, or told to end.
    const crashes = nowMs() - life.sinceMs >= stableAfterMs ? 1 : life.crashes + 1;
    rest(name, { digest: life.digest, crashes, reason: exitReason(how, system.readText(outputOf(name)) ?? "") });
  }

  function rest(name: string, past: History): void {
    lives.set(name, { kind: "ended", retryAtMs: nowMs() + backoffMs(past.crashes), ...past });
    setAlarm();
    onExit();
  }

  function setAlarm(): void {
    clearTimeout(alarm);
    const atMs = retryAtMs();
    if (atMs === undefined) return;
    alarm = setTimeout(
      () => {
        onExit();
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

  async function start(child: ProcessSpec, digest: string): Promise<void> {
    const { name, command, args, stdin, files = [] } = child;
    const before = lives.get(name);
    const crashes = before?.digest === digest ? before.crashes : 0;
    const past = { digest, crashes, reason: before?.reason ?? "" };
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
      rest(name, { digest, crashes: crashes + 1, reason: (error as Error).message });
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
    const { digest, crashes, reason } = life;
    lives.set(name, { kind: "ended", retryAtMs: nowMs(), digest, crashes, reason });
  }

  async function endProcess(processId: number): Promise<void> {
    const began = system.processStart(processId);
    const hasEnded = () => system.processStart(processId) !== began;
    if (began === undefined) return;
    system.signal(-processId, "SIGTERM"); // The group: one that only waits for others may be deaf to it.
    if (await becomesTrue(hasEnded)) return;
    system.signal(-processId, "SIGKILL");
    if (!(await becomesTrue(hasEnded))) throw new Error(`Process ${processId} cannot be ended`);
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
        .map(([name, life]) => stateOf(name, life, nowMs()));
    },
    find: (name) => {
      const life = lives.get(name);
      if (life) lookAt(name, life);
      return life && stateOf(name, lives.get(name) ?? life, nowMs());
    },
    output: (name) => system.readText(outputOf(name)) ?? "",
    changes: (children, running) =>
      processChanges(
        children.map((spec) => ({ spec, digest: digestOf(system, spec) })),
        running,
      ),
    apply: async (changes) => {
      await Promise.all(
        changes.map(
          (change) =>
            change.kind === "start"
              ? inTurn(change.spec.name, () => start(change.spec, change.digest))
              : inTurn(change.name, () => end(change.name).catch(() => {})), // It stays known, with the reason.
        ),
      );
    },
    end: async (name) => {
      await inTurn(name, () => endForAnother(name));
      onExit();
    },
    retryAtMs,
    close: () => {
      clearInterval(poll);
      clearTimeout(alarm);
    },
  };
}

function stateOf(name: string, life: ProcessRecord, nowMs: number): ProcessState {
  const { digest, crashes, reason } = life;
  if (life.kind === "running")
    return { name, digest, crashes, reason, condition: { kind: "running", processId: life.processId } };
  const isDue = life.retryAtMs <= nowMs;
  return {
    name,
    digest,
    crashes,
    reason,
    condition: isDue ? { kind: "restartable" } : { kind: "backoff", untilMs: life.retryAtMs },
  };
}

const digestOf = (system: System, { command, args, stdin, files = [] }: ProcessSpec): string =>
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
const exitReason = (how: string, output: string): string =>
  how.startsWith("SIG") ? `It was killed (${how})` : lastOutput(output) || how;

function lastOutput(output: string): string {
  const missing = notFound.exec(output)?.[1];
  return missing === undefined ? output.trimEnd().split("\n").slice(-5).join("\n") : `${missing} is not installed`;
}

/** What programs that start others say of one that is not there. */
const notFound =
  /^(?:env|unshare|bwrap|setpriv): (?:failed to execute |execvp )?['‘]?([^\s:'’]+)['’]?: No such file or directory$/m;

/** Processes end without telling whoever did not start them, so they are asked. */
async function becomesTrue(isSo: () => boolean): Promise<boolean> {
  for (const until = performance.now() + terminationMs; performance.now() < until; )
    if (isSo()) return true;
    else await new Promise((resolve) => setTimeout(resolve, 20));
  return isSo();
}
