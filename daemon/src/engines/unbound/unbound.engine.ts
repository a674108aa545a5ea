import { requestUnix, retryUntilOpen } from "../../system/socket-request.ts";
import type { System } from "../../system/system.ts";
import { sandboxed } from "../sandbox/sandbox.model.ts";
import { driftOfProcesses, type ProgramState, stateAmong } from "../sandbox/program-state.model.ts";
import type { Engine } from "../engine.ts";
import { changedProcess, type ProcessChange } from "../supervisor/supervisor.diff.ts";
import type { Supervisor } from "../supervisor/supervisor.ts";
import type { ProcessSpec, ProcessState } from "../supervisor/supervisor.model.ts";
import { parseBogusAnswers, parseRuntimeState, stateCommands } from "./control.parse.ts";
import { type RuntimeState, type RuntimeChange, runtimeChanges } from "./unbound.diff.ts";
import type { Validator } from "./unbound.model.ts";
import {
  configurationFile,
  controlSocket,
  impediment,
  ownFolder,
  renderStart,
  renderUnbound,
} from "./unbound.render.ts";

interface Needs {
  readonly system: System;
  readonly supervisor: Supervisor;
  /** Absolute. Each validator has a subfolder for its control socket; no other user can enter it. */
  readonly folder: string;
}

export interface ObservedValidators {
  readonly processes: readonly ProcessState[];
  /** Running validators by number; undefined for one that did not answer. */
  readonly live: ReadonlyMap<number, RuntimeState | undefined>;
}

export type ValidatorChange =
  | { readonly kind: "child"; readonly change: ProcessChange; readonly validator: Validator | undefined }
  | { readonly kind: "configure"; readonly number: number; readonly change: RuntimeChange }
  /** It runs, but does not answer: its state is unknown. */
  | { readonly kind: "unresponsive"; readonly number: number };

export type Flushed =
  | { readonly kind: "all" }
  | { readonly kind: "name"; readonly name: string }
  /** The name and all below it. */
  | { readonly kind: "suffix"; readonly name: string };

interface UnboundEngine extends Engine<readonly Validator[], ObservedValidators, ValidatorChange> {
  readonly states: (wanted: readonly Validator[]) => readonly (ProgramState & { readonly number: number })[];
  /** Flushes the cache of all running validators. */
  readonly flush: (what: Flushed) => Promise<void>;
  /**
   * A validator that failed to get a zone's keys treats the zone as bogus for a minute, and all names below with
   * it, even if the keys are available again. If there were bogus answers since the last call, they are flushed.
   */
  readonly flushBogus: () => Promise<void>;
  /** The number of bogus answers of each validator, as of the last flush. */
  readonly bogusAnswers: () => ReadonlyMap<number, number>;
}

/** One supervised, sandboxed Unbound per validator. Settings that can change at run time never restart it. */
export function unboundEngine({ system, supervisor, folder }: Needs): UnboundEngine {
  const folderOf = (number: number) => `${folder}/${number}`;
  const send = async (number: number, command: string, limitMs = answerMs): Promise<string> =>
    requestUnix(`${folderOf(number)}/${controlSocket}`, `UBCT1 ${command}\n`, limitMs);

  async function runCommand(number: number, command: string): Promise<void> {
    const answer = await send(number, command);
    if (!answer.startsWith("ok")) throw new Error(`${nameOf(number)}: ${command}: ${answer.trim()}`);
  }

  const look = (number: number): Promise<RuntimeState | undefined> =>
    retryUntilOpen(async () =>
      parseRuntimeState(await Promise.all(stateCommands.map((command) => send(number, command)))),
    );

  const running = (): number[] =>
    supervisor
      .observe("unbound")
      .filter(({ condition }) => condition.kind === "running")
      .map(({ name }) => numberOf(name));

  const bogusCounts = new Map<number, number>();
  async function flushBogusOf(number: number): Promise<void> {
    const count = parseBogusAnswers(await send(number, "stats_noreset"));
    const before = bogusCounts.get(number) ?? 0;
    bogusCounts.set(number, count);
    // A lower count than before means that it was restarted.
    if (count > 0 && count !== before) await runCommand(number, "flush_bogus");
  }

  const specOf = (validator: Validator): ProcessSpec => ({
    name: nameOf(validator.number),
    ...sandboxed({
      command: "unbound",
      args: ["-d", "-c", configurationFile],
      userId: validator.userId,
      shown: {},
      written: { [ownFolder]: folderOf(validator.number) },
      fromStdin: configurationFile,
      port: validator.port,
    }),
    stdin: renderUnbound(validator),
  });

  async function effect(change: Exclude<ValidatorChange, { kind: "unresponsive" }>): Promise<void> {
    if (change.kind === "configure") {
      for (const command of change.change.commands) await runCommand(change.number, command);
    } else if (change.change.kind === "end" || !change.validator) await supervisor.apply([change.change]);
    else {
      const own = folderOf(change.validator.number);
      system.makeFolder(own, 0o700);
      system.restrict(own, 0o777); // Writable for its user, inside a folder that no other user can enter.
      const spec = { ...change.change.spec, stdin: renderStart(change.validator) };
      await supervisor.apply([{ ...change.change, spec }]);
    }
  }

  return {
    name: "unbound",
    observe: async () => {
      const live = await Promise.all(running().map(async (number) => [number, await look(number)] as const));
      return { processes: supervisor.observe("unbound"), live: new Map(live) };
    },
    changes: (desired, { processes, live }) => {
      const wanted = desired.filter((it) => impediment(it) === undefined);
      const children = supervisor.changes(wanted.map(specOf), processes);
      const touched = new Set(children.map(changedProcess));
      const find = (name: string) => wanted.find(({ number }) => nameOf(number) === name);
      return [
        ...children.map((change) => ({
          kind: "child" as const,
          change,
          validator: change.kind === "start" ? find(change.spec.name) : undefined,
        })),
        ...wanted.filter(({ number }) => live.has(number) && !touched.has(nameOf(number))).flatMap(liveChanges(live)),
      ];
    },
    drift: (changes) =>
      changes.flatMap((change) => {
        if (change.kind === "child") return driftOfProcesses([change.change]);
        if (change.kind === "unresponsive") return [];
        const { field, expected, actual } = change.change;
        return [{ resource: nameOf(change.number), field, expected, actual }];
      }),
    apply: async (changes) => {
      system.makeFolder(folder, 0o700);
      const done = await Promise.allSettled(
        changes.map((change) =>
          change.kind === "unresponsive" ? Promise.reject(unresponsive(change.number)) : effect(change),
        ),
      );
      const failure = done.find((it) => it.status === "rejected");
      if (failure) throw failure.reason as Error;
    },
    states: (wanted) => {
      const processes = supervisor.observe("unbound");
      return wanted.map((it) => {
        const name = nameOf(it.number);
        return { number: it.number, ...stateAmong(processes, name, { name, impediment: impediment(it) }) };
      });
    },
    flush: async (what) => {
      await Promise.all(
        running().flatMap((number) => flushCommands(what).map((command) => runCommand(number, command))),
      );
    },
    flushBogus: async () => void (await Promise.allSettled(running().map(flushBogusOf))),
    bogusAnswers: () => bogusCounts,
  };
}

const liveChanges =
  (live: ObservedValidators["live"]) =>
  (validator: Validator): ValidatorChange[] => {
    const { number } = validator;
    const seen = live.get(number);
    if (!seen) return [{ kind: "unresponsive", number }];
    return runtimeChanges(validator, seen).map((change) => ({ kind: "configure", number, change }));
  };

/** `flush` covers common record types only. */
function flushCommands(what: Flushed): string[] {
  if (what.kind === "all") return ["flush_zone ."];
  if (!oneWord.test(what.name)) return [];
  if (what.kind === "suffix") return [`flush_zone ${what.name}`];
  return [`flush ${what.name}`, ...["TXT", "CAA", "DS", "DNSKEY", "TLSA"].map((it) => `flush_type ${what.name} ${it}`)];
}

const oneWord = /^[\w.-]+$/;

const nameOf = (number: number): string => `unbound.${number}`;
const numberOf = (name: string): number => Number(name.slice("unbound.".length));

const unresponsive = (number: number): Error => new Error(`${nameOf(number)} does not answer`);

const answerMs = 5000;
