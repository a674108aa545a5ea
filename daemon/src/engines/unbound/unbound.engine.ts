import { askUnix, onceOpen } from "../../system/socket-request.ts";
import type { System } from "../../system/system.ts";
import { confine } from "../confinement/confinement.model.ts";
import { driftOfChildren, type ProgramState, stateAmong } from "../confinement/state.model.ts";
import type { Engine } from "../engine.ts";
import { changedChild, type ChildChange } from "../supervisor/supervisor.diff.ts";
import type { Keeper } from "../supervisor/supervisor.ts";
import type { Child, Kept } from "../supervisor/supervisor.model.ts";
import { parseFalseAnswers, parseLive, questions } from "./control.parse.ts";
import { type Live, type Telling, tellings } from "./unbound.diff.ts";
import type { Validator } from "./unbound.model.ts";
import { controlSocket, impediment, ownFolder, renderStart, renderUnbound } from "./unbound.render.ts";

interface Needs {
  readonly system: System;
  readonly keeper: Keeper;
  /** Where each has a folder for its control socket; it begins with a slash, and nobody else may enter it. */
  readonly folder: string;
}

export interface ValidatorsSeen {
  readonly kept: readonly Kept[];
  /** By number; of those that run, nothing for one that did not answer. */
  readonly live: ReadonlyMap<number, Live | undefined>;
}

export type ValidatorChange =
  | { readonly kind: "child"; readonly change: ChildChange; readonly validator: Validator | undefined }
  | { readonly kind: "tell"; readonly number: number; readonly telling: Telling }
  /** It runs and cannot be spoken with: what it thinks is not known. */
  | { readonly kind: "mute"; readonly number: number };

export type Flushed =
  | { readonly kind: "all" }
  | { readonly kind: "name"; readonly name: string }
  /** The name and all below it. */
  | { readonly kind: "suffix"; readonly name: string };

interface UnboundEngine extends Engine<readonly Validator[], ValidatorsSeen, ValidatorChange> {
  readonly states: (wanted: readonly Validator[]) => readonly (ProgramState & { readonly number: number })[];
  /** Forgets, wherever one runs. */
  readonly flush: (what: Flushed) => Promise<void>;
  /**
   * One that could not have a zone's keys when it needed them holds them for false for a minute, and all names below with
   * them, though they could be had long ago. Where answers were found false since it was asked last, it looks once more.
   */
  readonly reconsider: () => Promise<void>;
  /** How many bogus answers each has given, by number, as of the last time it was reconsidered. */
  readonly bogusAnswers: () => ReadonlyMap<number, number>;
}

/** One Unbound per validator, kept running and confined. What it can learn while it runs never starts it anew. */
export function unboundEngine({ system, keeper, folder }: Needs): UnboundEngine {
  const folderOf = (number: number) => `${folder}/${number}`;
  const say = async (number: number, command: string, limitMs = answerMs): Promise<string> =>
    askUnix(`${folderOf(number)}/${controlSocket}`, `UBCT1 ${command}\n`, limitMs);

  async function tell(number: number, command: string): Promise<void> {
    const answer = await say(number, command);
    if (!answer.startsWith("ok")) throw new Error(`${nameOf(number)}: ${command}: ${answer.trim()}`);
  }

  const look = (number: number): Promise<Live | undefined> =>
    onceOpen(async () => parseLive(await Promise.all(questions.map((question) => say(number, question)))));

  const running = (): number[] =>
    keeper
      .observe("unbound")
      .filter(({ condition }) => condition.kind === "running")
      .map(({ name }) => numberOf(name));

  const falseAnswers = new Map<number, number>();
  async function reconsider(number: number): Promise<void> {
    const count = parseFalseAnswers(await say(number, "stats_noreset"));
    const before = falseAnswers.get(number) ?? 0;
    falseAnswers.set(number, count);
    // Less than before: it is another program by now.
    if (count > 0 && count !== before) await tell(number, "flush_bogus");
  }

  const childOf = (validator: Validator): Child => ({
    name: nameOf(validator.number),
    ...confine({
      command: "unbound",
      args: ["-d", "-c", "/etc/unbound.conf"],
      userId: validator.userId,
      shown: {},
      written: { [ownFolder]: folderOf(validator.number) },
      fromStdin: "/etc/unbound.conf",
      port: validator.port,
    }),
    stdin: renderUnbound(validator),
  });

  async function effect(change: Exclude<ValidatorChange, { kind: "mute" }>): Promise<void> {
    if (change.kind === "tell") {
      for (const command of change.telling.commands) await tell(change.number, command);
    } else if (change.change.kind === "end" || !change.validator) await keeper.apply([change.change]);
    else {
      const own = folderOf(change.validator.number);
      system.makeFolder(own, 0o700);
      system.restrict(own, 0o777); // It is somebody else's to write into, inside of a folder that nobody else enters.
      const child = { ...change.change.child, stdin: renderStart(change.validator) };
      await keeper.apply([{ ...change.change, child }]);
    }
  }

  return {
    name: "unbound",
    observe: async () => {
      const live = await Promise.all(running().map(async (number) => [number, await look(number)] as const));
      return { kept: keeper.observe("unbound"), live: new Map(live) };
    },
    changes: (desired, { kept, live }) => {
      const wanted = desired.filter((it) => impediment(it) === undefined);
      const children = keeper.changes(wanted.map(childOf), kept);
      const touched = new Set(children.map(changedChild));
      const find = (name: string) => wanted.find(({ number }) => nameOf(number) === name);
      return [
        ...children.map((change) => ({
          kind: "child" as const,
          change,
          validator: change.kind === "start" ? find(change.child.name) : undefined,
        })),
        ...wanted.filter(({ number }) => live.has(number) && !touched.has(nameOf(number))).flatMap(liveChanges(live)),
      ];
    },
    drift: (changes) =>
      changes.flatMap((change) => {
        if (change.kind === "child") return driftOfChildren([change.change]);
        if (change.kind === "mute") return [];
        const { field, expected, actual } = change.telling;
        return [{ resource: nameOf(change.number), field, expected, actual }];
      }),
    apply: async (changes) => {
      system.makeFolder(folder, 0o700);
      const done = await Promise.allSettled(
        changes.map((change) => (change.kind === "mute" ? Promise.reject(silence(change.number)) : effect(change))),
      );
      const failure = done.find((it) => it.status === "rejected");
      if (failure) throw failure.reason as Error;
    },
    states: (wanted) => {
      const kept = keeper.observe("unbound");
      return wanted.map((it) => {
        const name = nameOf(it.number);
        return { number: it.number, ...stateAmong(kept, name, { name, impediment: impediment(it) }) };
      });
    },
    flush: async (what) => {
      await Promise.all(running().flatMap((number) => flushCommands(what).map((command) => tell(number, command))));
    },
    reconsider: async () => void (await Promise.allSettled(running().map(reconsider))),
    bogusAnswers: () => falseAnswers,
  };
}

const liveChanges =
  (live: ValidatorsSeen["live"]) =>
  (validator: Validator): ValidatorChange[] => {
    const { number } = validator;
    const seen = live.get(number);
    if (!seen) return [{ kind: "mute", number }];
    return tellings(validator, seen).map((telling) => ({ kind: "tell", number, telling }));
  };

/** `flush` knows addresses, aliases and the like only. */
function flushCommands(what: Flushed): string[] {
  if (what.kind === "all") return ["flush_zone ."];
  if (!oneWord.test(what.name)) return [];
  if (what.kind === "suffix") return [`flush_zone ${what.name}`];
  return [`flush ${what.name}`, ...["TXT", "CAA", "DS", "DNSKEY", "TLSA"].map((it) => `flush_type ${what.name} ${it}`)];
}

const oneWord = /^[\w.-]+$/;

const nameOf = (number: number): string => `unbound.${number}`;
const numberOf = (name: string): number => Number(name.slice("unbound.".length));

const silence = (number: number): Error => new Error(`${nameOf(number)} does not answer`);

const answerMs = 5000;
