import { because, reported } from "@portcullis/contract/reason";
import { serialByKey, untilReady } from "../../system/async.ts";
import type { System } from "../../system/system.ts";
import {
  crashed,
  earliestRetryMs,
  endedForRestart,
  exitReason,
  type Exited,
  historyFor,
  inBackoff,
  parseRecord,
  type ProcessRecord,
  type Running,
  stateOf,
} from "./process-record.machine.ts";
import { type ProcessChange, processChanges } from "./supervisor.diff.ts";
import type { ProcessSpec, ProcessState } from "./supervisor.model.ts";

interface Needs {
  readonly system: System;
  /** Absolute. It holds the records and the output of the processes. */
  readonly folder: string;
  /** A monotonic clock. */
  readonly nowMs: () => number;
  /** A process ended, or its backoff is over: the engine should reconcile. */
  readonly onExit: () => void;
}

/** Shared by several engines. The name of a process begins with the engine's name and a dot; each engine sees its own only. */
export interface Supervisor {
  observe(engine: string): readonly ProcessState[];
  /** One process, without checking the others. */
  find(name: string): ProcessState | undefined;
  /** Its output since the start; old output is truncated. */
  output(name: string): string;
  changes(children: readonly ProcessSpec[], running: readonly ProcessState[]): readonly ProcessChange[];
  /** Does what is possible; a process that cannot be started counts as crashed. */
  apply(changes: readonly ProcessChange[]): Promise<void>;
  /** Ends a process that no longer works. The engine that wants it starts it again. */
  end(name: string): Promise<void>;
  /** The earliest end of a backoff. */
  retryAtMs(): number | undefined;
  /** Stops watching. The processes continue to run. */
  close(): void;
}

const pollMs = 500;
const terminationMs = 2000;
const maxOutputBytes = 1 << 20;

/**
 * Keeps programs running, independently of the daemon: a daemon that starts adopts the processes of the one before.
 * There is never a second process of a name while the first runs: a variable in its environment identifies a process,
 * also if the daemon was killed before it wrote the record.
 */
export function supervisor({ system, folder, nowMs, onExit }: Needs): Supervisor {
  const records = new Map<string, ProcessRecord>();
  const ending = new Set<string>();
  const recordOf = (name: string) => `${folder}/${name}.json`;
  const outputOf = (name: string) => `${folder}/${name}.output`;
  const variableOf = (name: string, digest = "") => `PORTCULLIS_CHILD=${folder}/${name}#${digest}`;
  let timer: NodeJS.Timeout | undefined;

  system.makeFolder(folder, 0o700);
  adopt();
  const poll = setInterval(checkAll, pollMs);
  poll.unref();

  /** A record identifies a process whatever its name is now; the variable in its environment, also without a record. */
  function adopt(): void {
    const sinceMs = nowMs();
    const past = { crashes: 0, reason: null };
    for (const file of system.list(folder).filter((it) => it.endsWith(".json"))) {
      const record = parseRecord(system.readText(`${folder}/${file}`) ?? "");
      if (!record) continue;
      const { digest, processId, began } = record;
      const name = file.slice(0, -".json".length);
      if (system.processStart(processId) === began)
        records.set(name, { kind: "running", processId, began, digest, sinceMs, ...past });
      else {
        const reason = because("program_ended_unwatched");
        records.set(name, { kind: "ended", retryAtMs: sinceMs, digest, crashes: 0, reason });
      }
    }
    for (const { processId, word } of system.findProcesses(`PORTCULLIS_CHILD=${folder}/`)) {
      const [, name, digest] = /^.*\/([^/]+)#([0-9a-f]*)$/.exec(word) ?? [];
      if (name === undefined || digest === undefined || records.get(name)?.kind === "running") continue;
      records.set(name, {
        kind: "running",
        processId,
        began: system.processStart(processId),
        digest,
        sinceMs,
        ...past,
      });
    }
  }

  /** The end of our own children is an event. Adopted processes are polled. */
  function checkAll(): void {
    for (const [name, record] of records) check(name, record);
  }

  function check(name: string, record: ProcessRecord): void {
    if (record.kind === "running" && !isAlive(record)) onCrash(name, record, undefined);
    else system.emptyAbove(outputOf(name), maxOutputBytes);
  }

  const isAlive = ({ processId, began }: Running): boolean =>
    began !== undefined && system.processStart(processId) === began;

  function onCrash(name: string, record: Running, how: string | undefined): void {
    if (records.get(name) !== record || ending.has(name)) return; // Handled before, or ended by us.
    startBackoff(name, crashed(record, exitReason(how, system.readText(outputOf(name)) ?? ""), nowMs()));
  }

  function startBackoff(name: string, record: Exited): void {
    records.set(name, record);
    setTimer();
    onExit();
  }

  function setTimer(): void {
    clearTimeout(timer);
    const atMs = retryAtMs();
    if (atMs === undefined) return;
    timer = setTimeout(
      () => {
        onExit();
        setTimer();
      },
      Math.max(1, atMs - nowMs()),
    );
    timer.unref();
  }

  const retryAtMs = (): number | undefined => earliestRetryMs(records.values(), nowMs());

  async function start(child: ProcessSpec, digest: string): Promise<void> {
    const { name, command, args, stdin, files = [] } = child;
    const past = historyFor(digest, records.get(name));
    try {
      await end(name);
      system.makeFolder(folder, 0o700); // Another program may have cleaned up the run folder.
      const onExit = (how: string) => void (records.get(name) === record && onCrash(name, record, how));
      const output = outputOf(name);
      const processId = system.launch("env", [variableOf(name, digest), command, ...args], {
        stdin,
        files,
        output,
        onExit,
      });
      const began = system.processStart(processId);
      const record: Running = { kind: "running", processId, began, sinceMs: nowMs(), ...past };
      records.set(name, record);
      system.writeAtomically(recordOf(name), JSON.stringify({ processId, began, digest }), 0o600);
    } catch (error) {
      if (records.has(name)) return; // It could not be ended; the record has the reason.
      const reason = reported((error as Error).message);
      startBackoff(name, inBackoff({ digest, crashes: past.crashes + 1, reason }, nowMs()));
    }
  }

  /** A process that cannot be ended stays on record, so that no second one is started. */
  async function end(name: string): Promise<void> {
    const record = records.get(name);
    ending.add(name);
    try {
      if (record?.kind === "running" && isAlive(record)) await endProcess(record.processId);
      for (const { processId } of system.findProcesses(variableOf(name))) await endProcess(processId);
      records.delete(name);
      system.remove(recordOf(name));
      system.remove(outputOf(name));
    } catch (error) {
      if (record) records.set(name, { ...record, reason: reported((error as Error).message) });
      throw error;
    } finally {
      ending.delete(name);
    }
  }

  /** Crashes stay counted, and a backoff continues. */
  async function endForRestart(name: string): Promise<void> {
    const record = records.get(name);
    if (record?.kind === "ended") return;
    // A process that has just crashed was not ended by us: its backoff applies.
    if (record && !isAlive(record)) return onCrash(name, record, undefined);
    await end(name);
    if (record) records.set(name, endedForRestart(record, nowMs()));
  }

  async function endProcess(processId: number): Promise<void> {
    const began = system.processStart(processId);
    const hasEnded = () => system.processStart(processId) !== began;
    if (began === undefined) return;
    system.signal(-processId, "SIGTERM"); // The group: a process that only waits for its children may ignore it.
    if (await becomesTrue(hasEnded)) return;
    system.signal(-processId, "SIGKILL");
    if (!(await becomesTrue(hasEnded))) throw new Error(`Process ${processId} cannot be ended`);
  }

  /** Changes of one process are serialized. */
  const inTurn = serialByKey();

  return {
    observe: (engine) => {
      checkAll();
      return [...records]
        .filter(([name]) => name.startsWith(`${engine}.`))
        .map(([name, record]) => stateOf(name, record, nowMs()));
    },
    find: (name) => {
      const record = records.get(name);
      if (record) check(name, record);
      return record && stateOf(name, records.get(name) ?? record, nowMs());
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
              : inTurn(change.name, () => end(change.name).catch(() => {})), // It stays on record, with the reason.
        ),
      );
    },
    end: async (name) => {
      await inTurn(name, () => endForRestart(name));
      onExit();
    },
    retryAtMs,
    close: () => {
      clearInterval(poll);
      clearTimeout(timer);
    },
  };
}

const digestOf = (system: System, { command, args, stdin, files = [] }: ProcessSpec): string =>
  system.digest(JSON.stringify([command, args, stdin, ...files.map((it) => [...it])]));

/** Polls, because the end of a process is reported to its parent only. */
const becomesTrue = async (isSo: () => boolean): Promise<boolean> =>
  (await untilReady(() => isSo() || undefined, { limitMs: terminationMs, everyMs: 20 })) ?? false;
