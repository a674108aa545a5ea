import { runInWorker } from "../../system/worker.ts";
import { copyAtomically, removeFile, stampOf } from "../../system/bulk-files.ts";
import type { System } from "../../system/system.ts";
import type { ListLookup } from "../dnsdist/filter-policy.model.ts";
import type { BuildTask } from "./build.ts";
import { type StoredLists, type StoredList, readStored, writeStored } from "./stored.ts";
import { type ListState, sourceOf, type WantedList } from "./lists.model.ts";
import { type BuiltLookup, openLookup } from "./lookup.ts";
import { defaultLimits, type Limits, type ReadAnswer, type ReadTask } from "./fetch.ts";
import { nextRequestMs } from "./schedule.model.ts";
import type { AnswerTo, Task } from "./tasks.ts";

/** Lists of names: had from where they are, kept on disk, and built into one file whenever one of them is another. */
export interface Lists {
  /** From now on these, and no others. What is missing is fetched, what has changed is built. */
  want(lists: readonly WantedList[]): void;
  states(): readonly ListState[];
  /** Asks for it now. By hand, so it may also have become much shorter. Nothing for one that is not wanted. */
  refresh(id: string): Promise<ListState | undefined>;
  /** Keeps a text somebody hands in; fails with a sentence if it is no list. It stays until it is forgotten. */
  upload(id: string, text: string, format: WantedList["format"]): Promise<Uploaded>;
  forget(id: string): void;
  readonly lookup: ListLookup;
  /** When what was built before is in force again. What is still to be built is not waited for. */
  whenRestored(): Promise<void>;
  /** When nothing is being read or built any more. */
  whenIdle(): Promise<void>;
  close(): Promise<void>;
}

export interface Uploaded {
  readonly digest: string;
  readonly entries: number;
  readonly skipped: number;
}

export interface Built {
  readonly path: string;
  /** Puts a copy of it in another place, at once and whole, without this thread having it in memory. */
  readonly copyTo: (path: string, mode: number) => Promise<void>;
  readonly digest: string;
  readonly names: number;
  readonly bytes: number;
}

export interface ListsOptions {
  readonly system: System;
  /** Of its own, below the state folder. */
  readonly folder: string;
  /** Where lists that are files on the gateway lie. */
  readonly fileFolder: string;
  /** Names the machine goes by; lists in hosts format must not take them. */
  readonly ownNames: readonly string[];
  /** A file to be put in force: after each build, and once after a start that needs none. */
  readonly onBuilt: (built: Built) => Promise<void> | void;
  readonly onProblem: (problem: string) => void;
  readonly onChange?: () => void;
  readonly limits?: Partial<Limits>;
  readonly maxNames?: number;
  /** So long a build waits for lists that are on their way. */
  readonly buildDelayMs?: number;
  readonly now?: () => number;
  readonly chance?: () => number;
  /** Where the work is done, if not in a thread of its own. */
  readonly work?: ((task: Task) => Promise<unknown>) | undefined;
}

export function openLists(options: ListsOptions): Lists {
  const {
    system,
    folder,
    fileFolder,
    ownNames,
    onBuilt,
    onProblem,
    onChange = () => {},
    maxNames = 16_000_000,
  } = options;
  const { now = Date.now, chance = Math.random, buildDelayMs = 3000 } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const keptPath = `${folder}/lists.json`;
  /** By its name it is known what is in it, whenever we were stopped. */
  const builtPath = (digest: string): string => `${folder}/${digest.slice(0, 32)}.cdb`;
  const textPath = (id: string): string => `${folder}/${system.digest(id).slice(0, 32)}.txt`;
  const closing = new AbortController();
  // A server that takes its time keeps other servers waiting, but nothing that is here already.
  const lanes = { far: lane(), near: lane() };

  system.makeFolder(folder, 0o700);
  for (const name of system.list(folder)) if (name.endsWith(".new")) removeFile(`${folder}/${name}`);
  let kept: StoredLists = withTexts(readStored(system, keptPath), (id) => stampOf(textPath(id)) !== undefined);
  let wanted: readonly WantedList[] = [];
  /** Until somebody has said what is wanted, nothing is built: it would be an empty file. */
  let isTold = false;
  let found: BuiltLookup | undefined;
  let handedOver: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isBuilding = false;
  let patience: NodeJS.Timeout | undefined;
  const underWay = new Map<string, Promise<void>>();

  function keep(change: Partial<StoredLists>): void {
    kept = { ...kept, ...change };
    writeStored(system, keptPath, kept);
    onChange();
  }

  const stampOfFile = (path: string): string | null => stampOf(`${fileFolder}/${path}`) ?? null;

  /** What was read from another place is another list, even if it has the same id. */
  const keptOf = (list: WantedList): StoredList | undefined =>
    kept.lists[list.id]?.source === sourceOf(list) ? kept.lists[list.id] : undefined;

  const keepList = (id: string, list: StoredList): void => keep({ lists: { ...kept.lists, [id]: list } });

  function want(lists: readonly WantedList[]): void {
    if (closing.signal.aborted) return;
    wanted = lists;
    isTold = true;
    sweep();
    look();
  }

  /** What can be had again is not kept for nobody. What was handed in cannot. */
  function sweep(): void {
    const gone = Object.entries(kept.lists).filter(
      ([id, { source }]) => source !== "upload" && !wanted.some((it) => it.id === id && keptOf(it) !== undefined),
    );
    for (const [id] of gone) forget(id);
  }

  function forget(id: string): void {
    removeFile(textPath(id));
    const { [id]: _, ...lists } = kept.lists;
    keep({ lists });
  }

  /** Reads what is due and sees to it that it looks again in time. */
  function look(): void {
    clearTimeout(timer);
    if (closing.signal.aborted) return;
    for (const list of wanted) if (isDue(list)) void read(list, { mayShrink: false });
    // What could not be built or put in force is tried again as well.
    buildIfNew();
    timer = setTimeout(look, lookEveryMs);
    timer.unref();
  }

  function isDue(list: WantedList): boolean {
    const known = keptOf(list);
    const { source } = list;
    if (source.kind === "upload" || underWay.has(list.id)) return false;
    if (source.kind === "file") return known === undefined || known.stamp !== stampOfFile(source.path);
    if (known === undefined) return true;
    return now() >= nextRequestMs({ ...known, refreshSec: source.refreshSec, chance: chanceOf(list.id) });
  }

  /** Drawn once for each list: drawn at each look, the earliest would win. */
  const chances = new Map<string, number>();
  const chanceOf = (id: string): number => {
    if (!chances.has(id)) chances.set(id, chance());
    return chances.get(id)!;
  };

  function read(list: WantedList, { mayShrink }: { readonly mayShrink: boolean }): Promise<void> {
    const running = underWay.get(list.id);
    if (running) return running;
    const done = readNow(list, mayShrink).finally(() => {
      underWay.delete(list.id);
      buildIfNew();
    });
    underWay.set(list.id, done);
    return done;
  }

  async function readNow(list: WantedList, mayShrink: boolean): Promise<void> {
    const { source } = list;
    if (source.kind === "upload") return;
    const stamp = source.kind === "file" ? stampOfFile(source.path) : null;
    const from =
      source.kind === "file"
        ? { ...source, folder: fileFolder }
        : { ...source, known: keptOf(list)?.validators ?? noValidators };
    const answer = await (source.kind === "url" ? lanes.far : lanes.near)(() => ask({ list, from, mayShrink }));
    const isStillWanted = wanted.some((it) => it.id === list.id && sourceOf(it) === sourceOf(list));
    if (closing.signal.aborted || !isStillWanted) return;
    keepList(list.id, { ...afterAnswer(answer, keptOf(list) ?? neverRead(list), now()), stamp });
  }

  async function ask(it: Pick<ReadTask, "from" | "mayShrink"> & { readonly list: Pick<WantedList, "id" | "format"> }) {
    const { list, from, mayShrink } = it;
    const { digest, entries } = kept.lists[list.id] ?? { digest: "", entries: 0 };
    const before = digest === "" ? null : { digest, entries };
    const path = textPath(list.id);
    const task: ReadTask = { kind: "read", from, format: list.format, ownNames, path, before, mayShrink, limits };
    return aside(task, limits.limitMs * 2).catch(
      (error: unknown): ReadAnswer => ({ kind: "refused", problem: messageOf(error) }),
    );
  }

  const aside = <T extends Task>(task: T, limitMs: number): Promise<AnswerTo<T>> =>
    options.work
      ? (options.work(task) as Promise<AnswerTo<T>>)
      : runInWorker(workerScript, task, { limitMs, heapMb: 256, signal: closing.signal });

  const content = () =>
    wanted.filter((it) => (keptOf(it)?.digest ?? "") !== "").toSorted((one, other) => one.bit - other.bit);

  /** Everything the file is made of, and by which rules. */
  const digestNow = (): string =>
    system.digest(
      JSON.stringify([
        buildVersion,
        ownNames,
        content().map(({ id, bit, action, format }) => [bit, action, format, kept.lists[id]!.digest]),
      ]),
    );

  function buildIfNew({ isPatient = true } = {}): void {
    if (closing.signal.aborted || isBuilding || !isTold) return;
    const digest = digestNow();
    if (handedOver === digest) return;
    // Others that are on their way come into the same build, unless they take long. What is built already is not kept back.
    if (isPatient && underWay.size > 0 && kept.build?.digest !== digest) {
      patience ??= setTimeout(() => {
        patience = undefined;
        buildIfNew({ isPatient: false });
      }, buildDelayMs);
      return;
    }
    clearTimeout(patience);
    patience = undefined;
    isBuilding = true;
    void lanes.near(async () => {
      // Only now: those that were on their way may have come meanwhile.
      const attempted = digestNow();
      await build(attempted).catch((error: unknown) => {
        if (!closing.signal.aborted) onProblem(`The lists cannot be built: ${messageOf(error)}`);
      });
      isBuilding = false;
      if (digestNow() !== attempted) buildIfNew();
    });
  }

  async function build(digest: string): Promise<void> {
    const path = builtPath(digest);
    if (kept.build?.digest !== digest || stampOf(path) === undefined) {
      const before = kept.lists;
      const lists = content().map(({ id, bit, action, format }) => ({ id, bit, action, format, path: textPath(id) }));
      const task: BuildTask = { kind: "build", lists, ownNames, maxNames, path };
      const { names, bytes, found: counts } = await aside(task, buildLimitMs);
      const counted = counts
        .filter(({ id }) => kept.lists[id] !== undefined && kept.lists[id] === before[id])
        .map(({ id, entries, skipped }) => [id, { ...kept.lists[id]!, entries, skipped }] as const);
      keep({ build: { digest, names, bytes }, lists: { ...kept.lists, ...Object.fromEntries(counted) } });
    }
    found?.close();
    found = openLookup(path);
    for (const name of system.list(folder))
      if (name.endsWith(".cdb") && !path.endsWith(`/${name}`)) removeFile(`${folder}/${name}`);
    await onBuilt({ path, copyTo: (to, mode) => copyAtomically(path, to, mode), ...kept.build! });
    handedOver = digest;
  }

  const stateOf = (list: WantedList): ListState => {
    const { id, source } = list;
    const known = keptOf(list);
    const { entries, skipped, bytes, readAtMs, problem } = known ?? neverRead(list);
    const missing = source.kind === "upload" && known === undefined ? "Nothing was handed in yet" : "";
    return {
      id,
      entries,
      skipped,
      bytes,
      readAt: readAtMs === 0 ? null : new Date(readAtMs),
      problem: problem || missing,
    };
  };

  return {
    want,
    states: () => wanted.map(stateOf),
    refresh: async (id) => {
      const list = wanted.find((it) => it.id === id);
      if (list === undefined) return undefined;
      await read(list, { mayShrink: true });
      return stateOf(list);
    },
    upload: async (id, text, format) => {
      if (wanted.some((it) => it.id === id && it.source.kind !== "upload"))
        throw new Error("This list is read from elsewhere");
      const from = { kind: "text" as const, text };
      const answer = await lanes.near(() => ask({ list: { id, format }, from, mayShrink: true }));
      if (answer.kind === "refused") throw new Error(answer.problem);
      const before = kept.lists[id]?.source === "upload" ? kept.lists[id] : { ...unread, source: "upload" };
      const after = afterAnswer(answer, before, now());
      keepList(id, after);
      buildIfNew();
      return { digest: after.digest, entries: after.entries, skipped: after.skipped };
    },
    forget,
    lookup: (name) => found?.lookup(name),
    whenRestored: async () => {
      const digest = digestNow();
      const isBuilt = kept.build?.digest === digest && stampOf(builtPath(digest)) !== undefined;
      if (isBuilt && handedOver !== digest && underWay.size === 0) await lanes.near(async () => {});
    },
    whenIdle: async () => {
      while (underWay.size > 0 || isBuilding) await Promise.all([...underWay.values(), lanes.near(async () => {})]);
    },
    close: async () => {
      closing.abort();
      clearTimeout(timer);
      clearTimeout(patience);
      await Promise.all([lanes.near(async () => {}), lanes.far(async () => {}), ...underWay.values()]);
      found?.close();
      found = undefined;
    },
  };
}

const lookEveryMs = 30_000;
const buildLimitMs = 600_000;
/** To be counted up when the same lists give another file. */
const buildVersion = 1;
const noValidators = { etag: null, lastModified: null };

/** Beside this file in the source; beside the program when everything is in one file. */
const workerScript = new URL(
  import.meta.url.endsWith(".ts") ? "./lists.worker.ts" : "./portcullis-lists.mjs",
  import.meta.url,
);

/** Without the text there is nothing that a server could call unchanged. */
const withTexts = (kept: StoredLists, hasText: (id: string) => boolean): StoredLists => ({
  ...kept,
  lists: Object.fromEntries(Object.entries(kept.lists).filter(([id, { digest }]) => digest === "" || hasText(id))),
});

const unread: Omit<StoredList, "source"> = {
  digest: "",
  entries: 0,
  skipped: 0,
  bytes: 0,
  readAtMs: 0,
  requestedAtMs: 0,
  failures: 0,
  problem: "",
  validators: noValidators,
  stamp: null,
};

const neverRead = (list: WantedList): StoredList => ({ ...unread, source: sourceOf(list) });

function afterAnswer(answer: ReadAnswer, before: StoredList, requestedAtMs: number): StoredList {
  switch (answer.kind) {
    case "unchanged":
      return { ...before, requestedAtMs, failures: 0, problem: "" };
    case "refused":
      return { ...before, requestedAtMs, failures: before.failures + 1, problem: answer.problem };
    case "read": {
      const { found, written, validators } = answer;
      const { entries, skipped } = found;
      return {
        ...before,
        ...written,
        entries,
        skipped,
        validators,
        requestedAtMs,
        readAtMs: requestedAtMs,
        failures: 0,
        problem: "",
      };
    }
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** One after the other. */
function lane(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => {}); // Whoever asked hears of it.
    return done;
  };
}
