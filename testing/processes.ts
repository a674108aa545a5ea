import type { System } from "../daemon/src/system/system.ts";

interface FakeProcess {
  readonly processId: number;
  readonly words: readonly string[];
  readonly stdin: string;
  readonly output: string;
  readonly onExit: (how: string) => void;
  readonly startedAt: string;
  isAlive: boolean;
}

/** Simulated files and processes, for tests of the supervisor. */
export interface FakeMachine {
  readonly system: System;
  readonly files: Map<string, string>;
  /** All processes since the beginning, ended ones included. */
  readonly started: readonly FakeProcess[];
  readonly alive: () => readonly FakeProcess[];
  /** Ends a process from outside. Only the daemon that started it gets the exit event. */
  die(processId: number, lastOutput?: string): void;
  /** The current processes become orphans of an earlier daemon: their exit is not reported. */
  replaceDaemon(): void;
}

/** `endsOnSigterm`: whether a process with these arguments ends on SIGTERM. */
export function fakeMachine(endsOnSigterm: (words: readonly string[]) => boolean = () => true): FakeMachine {
  const files = new Map<string, string>();
  const started: FakeProcess[] = [];
  let orphans = 0;
  const find = (processId: number) => started.find((it) => it.isAlive && it.processId === Math.abs(processId));
  function end(process: FakeProcess, how: string): void {
    process.isAlive = false;
    if (process.processId > orphans) queueMicrotask(() => process.onExit(how));
  }
  const system: Partial<System> = {
    launch: (command, args, options) => {
      const processId = started.length + 1;
      if (command === "missing" || args.includes("missing")) throw new Error("missing cannot be started");
      started.push({ processId, words: [command, ...args], startedAt: `${processId}@boot`, isAlive: true, ...options });
      files.set(options.output, "");
      return processId;
    },
    processStart: (processId) => find(processId)?.startedAt,
    findProcesses: (beginning) =>
      started
        .filter(({ isAlive }) => isAlive)
        .flatMap(({ processId, words }) =>
          words.filter((it) => it.startsWith(beginning)).map((word) => ({ processId, word })),
        ),
    signal: (processId, name) => {
      const process = find(processId);
      if (process && (name === "SIGKILL" || endsOnSigterm(process.words))) end(process, name);
    },
    emptyAbove: () => {},
    digest: (text) => Buffer.from(text).toString("hex"),
    makeFolder: () => {},
    restrict: () => {},
    readText: (path) => files.get(path),
    writeAtomically: (path, text) => void files.set(path, text),
    remove: (path) => void files.delete(path),
    list: (path) => [...files.keys()].filter((it) => it.startsWith(`${path}/`)).map((it) => it.slice(path.length + 1)),
  };
  return {
    system: system as System,
    files,
    started,
    alive: () => started.filter(({ isAlive }) => isAlive),
    die: (processId, lastOutput = "") => {
      const process = find(processId)!;
      files.set(process.output, lastOutput);
      end(process, lastOutput === "" ? "SIGKILL" : "exit code 1");
    },
    replaceDaemon: () => void (orphans = started.length),
  };
}
