import type { System } from "../daemon/src/system/system.ts";

interface FakeProcess {
  readonly processId: number;
  readonly words: readonly string[];
  readonly stdin: string;
  readonly output: string;
  readonly onExit: (how: string) => void;
  readonly began: string;
  isAlive: boolean;
}

/** A machine with files and processes of its own, for whoever keeps programs running. */
export interface FakeMachine {
  readonly system: System;
  readonly files: Map<string, string>;
  /** All that were ever started. */
  readonly started: readonly FakeProcess[];
  readonly alive: () => readonly FakeProcess[];
  /** Ends one from outside. Only the daemon that started it hears of that. */
  die(processId: number, lastWords?: string): void;
  /** From now on the daemon that started what runs is another one. */
  forgetParents(): void;
}

/** `obeys` tells whether a process ends when it is asked politely. */
export function fakeMachine(obeys: (words: readonly string[]) => boolean = () => true): FakeMachine {
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
      started.push({ processId, words: [command, ...args], began: `${processId}@boot`, isAlive: true, ...options });
      files.set(options.output, "");
      return processId;
    },
    processStart: (processId) => find(processId)?.began,
    findProcesses: (beginning) =>
      started
        .filter(({ isAlive }) => isAlive)
        .flatMap(({ processId, words }) =>
          words.filter((it) => it.startsWith(beginning)).map((word) => ({ processId, word })),
        ),
    signal: (processId, name) => {
      const process = find(processId);
      if (process && (name === "SIGKILL" || obeys(process.words))) end(process, name);
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
    die: (processId, lastWords = "") => {
      const process = find(processId)!;
      files.set(process.output, lastWords);
      end(process, lastWords === "" ? "SIGKILL" : "exit code 1");
    },
    forgetParents: () => void (orphans = started.length),
  };
}
