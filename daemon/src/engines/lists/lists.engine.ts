import { reported, sentence } from "@portcullis/contract/reason";
import { runInWorker } from "../../system/worker.ts";
import { copyAtomically, removeFile, stampOf } from "../../system/bulk-files.ts";
import { serial } from "../../system/async.ts";
import type { PqMode } from "../../net/key-exchange.ts";
import type { System } from "../../system/system.ts";
import type { ListLookup } from "../dnsdist/filter-policy.model.ts";
import type { BuildTask } from "./build.ts";
import {
  afterAnswer,
  afterBuild,
  buildInputs,
  buildStep,
  contentOf,
  isDue,
  neverRead,
  noValidators,
  stateOf,
  storedOf,
  unusedLists,
  withList,
  withoutList,
  withTexts,
} from "./lists.machine.ts";
import { type ListState, sourceOf, type WantedList } from "./lists.model.ts";
import { type StoredLists, readStored, writeStored } from "./stored.ts";
import { type BuiltLookup, openLookup } from "./lookup.ts";
import { defaultLimits, type Limits, type ReadAnswer, type ReadTask } from "./fetch.ts";
import type { AnswerTo, Task } from "./tasks.ts";

/** Lists of names: fetched, stored on disk, and built into one file whenever one of them changes. */
export interface Lists {
  /** Sets the wanted lists. Missing lists are fetched, changes are built. */
  want(lists: readonly WantedList[]): void;
  states(): readonly ListState[];
  /** Fetches a list now, at the operator's request, so it may be much shorter. Undefined for a list that is not wanted. */
  refresh(id: string): Promise<ListState | undefined>;
  /** Stores an uploaded text; fails with a sentence if it is no list. It stays until `forget`. */
  upload(id: string, text: string, format: WantedList["format"]): Promise<Uploaded>;
  forget(id: string): void;
  readonly lookup: ListLookup;
  /** Resolves when the former build is in force again, without waiting for new builds. */
  whenRestored(): Promise<void>;
  /** Resolves when no list is being read or built. */
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
  /** Copies it atomically, without reading it into this thread's memory. */
  readonly copyTo: (path: string, mode: number) => Promise<void>;
  readonly digest: string;
  readonly names: number;
  readonly bytes: number;
}

export interface ListsOptions {
  readonly system: System;
  /** Its own folder below the state folder. */
  readonly folder: string;
  /** Folder of lists that are files on the gateway. */
  readonly fileFolder: string;
  /** Names of the gateway; lists in hosts format must not block them. */
  readonly ownNames: readonly string[];
  /** Of the TLS session of the next download. */
  readonly pqMode: () => PqMode;
  /** A file to be applied: after each build, and once after a start without one. */
  readonly onBuilt: (built: Built) => Promise<void> | void;
  readonly onProblem: (problem: string) => void;
  readonly onChange?: () => void;
  readonly limits?: Partial<Limits>;
  readonly maxNames?: number;
  /** How long a build waits for lists that are being fetched. */
  readonly buildDelayMs?: number;
  readonly now?: () => number;
  readonly chance?: () => number;
  /** Replaces the worker thread. */
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
  const storedPath = `${folder}/lists.json`;
  /** The name identifies the content, also after an interruption. */
  const builtPath = (digest: string): string => `${folder}/${digest.slice(0, 32)}.cdb`;
  const textPath = (id: string): string => `${folder}/${system.digest(id).slice(0, 32)}.txt`;
  const closing = new AbortController();
  // A slow server delays other servers, but no local work.
  const lanes = { far: serial(), near: serial() };

  system.makeFolder(folder, 0o700);
  for (const name of system.list(folder)) if (name.endsWith(".new")) removeFile(`${folder}/${name}`);
  let stored: StoredLists = withTexts(readStored(system, storedPath), (id) => stampOf(textPath(id)) !== undefined);
  let wanted: readonly WantedList[] = [];
  /** Before the first `want`, nothing is built: it would be an empty file. */
  let isConfigured = false;
  let found: BuiltLookup | undefined;
  let appliedDigest: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isBuilding = false;
  let buildTimer: NodeJS.Timeout | undefined;
  const fetching = new Map<string, Promise<void>>();

  function store(next: StoredLists): void {
    stored = next;
    writeStored(system, storedPath, stored);
    onChange();
  }

  const stampOfFile = (path: string): string | null => stampOf(`${fileFolder}/${path}`) ?? null;

  function want(lists: readonly WantedList[]): void {
    if (closing.signal.aborted) return;
    wanted = lists;
    isConfigured = true;
    for (const id of unusedLists(stored, wanted)) forget(id);
    check();
  }

  function forget(id: string): void {
    removeFile(textPath(id));
    store(withoutList(stored, id));
  }

  /** Reads the lists whose interval is over, and schedules the next check. */
  function check(): void {
    clearTimeout(timer);
    if (closing.signal.aborted) return;
    for (const list of wanted) {
      const moment = { nowMs: now(), chance: chanceOf(list.id), stamp: stampOfFile };
      if (!fetching.has(list.id) && isDue(stored, list, moment)) void read(list, { mayShrink: false });
    }
    // A failed build or apply is retried as well.
    buildIfNew();
    timer = setTimeout(check, checkEveryMs);
    timer.unref();
  }

  const chances = new Map<string, number>();
  const chanceOf = (id: string): number => {
    if (!chances.has(id)) chances.set(id, chance());
    return chances.get(id)!;
  };

  function read(list: WantedList, { mayShrink }: { readonly mayShrink: boolean }): Promise<void> {
    const running = fetching.get(list.id);
    if (running) return running;
    const done = readNow(list, mayShrink).finally(() => {
      fetching.delete(list.id);
      buildIfNew();
    });
    fetching.set(list.id, done);
    return done;
  }

  async function readNow(list: WantedList, mayShrink: boolean): Promise<void> {
    const { source } = list;
    if (source.kind === "upload") return;
    const stamp = source.kind === "file" ? stampOfFile(source.path) : null;
    const from =
      source.kind === "file"
        ? { ...source, folder: fileFolder }
        : { ...source, known: storedOf(stored, list)?.validators ?? noValidators };
    const answer = await (source.kind === "url" ? lanes.far : lanes.near)(() => fetchList({ list, from, mayShrink }));
    const isStillWanted = wanted.some((it) => it.id === list.id && sourceOf(it) === sourceOf(list));
    if (closing.signal.aborted || !isStillWanted) return;
    const before = storedOf(stored, list) ?? neverRead(sourceOf(list));
    store(withList(stored, list.id, { ...afterAnswer(answer, before, now()), stamp }));
  }

  async function fetchList(
    it: Pick<ReadTask, "from" | "mayShrink"> & { readonly list: Pick<WantedList, "id" | "format"> },
  ) {
    const { list, from, mayShrink } = it;
    const { digest, entries } = stored.lists[list.id] ?? { digest: "", entries: 0 };
    const before = digest === "" ? null : { digest, entries };
    const path = textPath(list.id);
    const pqMode = options.pqMode();
    const task: ReadTask = {
      kind: "read",
      from,
      format: list.format,
      ownNames,
      path,
      before,
      mayShrink,
      limits,
      pqMode,
    };
    return inWorker(task, limits.limitMs * 2).catch(
      (error: unknown): ReadAnswer => ({ kind: "refused", problem: reported(messageOf(error)) }),
    );
  }

  const inWorker = <T extends Task>(task: T, limitMs: number): Promise<AnswerTo<T>> =>
    options.work
      ? (options.work(task) as Promise<AnswerTo<T>>)
      : runInWorker(workerScript, task, { limitMs, heapMb: 256, signal: closing.signal });

  const digestNow = (): string => system.digest(buildInputs(stored, wanted, ownNames));

  function buildIfNew({ mayWait = true } = {}): void {
    if (closing.signal.aborted || !isConfigured) return;
    const builtDigest = stored.build?.digest;
    const isFetching = fetching.size > 0;
    const step = buildStep({ digest: digestNow(), appliedDigest, builtDigest, isBuilding, isFetching, mayWait });
    if (step === "wait")
      buildTimer ??= setTimeout(() => {
        buildTimer = undefined;
        buildIfNew({ mayWait: false });
      }, buildDelayMs);
    if (step !== "build") return;
    clearTimeout(buildTimer);
    buildTimer = undefined;
    isBuilding = true;
    void lanes.near(async () => {
      // Only now: lists may have arrived meanwhile.
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
    if (stored.build?.digest !== digest || stampOf(path) === undefined) {
      const before = stored;
      const content = contentOf(stored, wanted);
      const lists = content.map(({ id, bit, action, format }) => ({ id, bit, action, format, path: textPath(id) }));
      const task: BuildTask = { kind: "build", lists, ownNames, maxNames, path };
      const { names, bytes, found: counts } = await inWorker(task, buildLimitMs);
      store(afterBuild(stored, { digest, names, bytes }, { counts, before }));
    }
    found?.close();
    found = openLookup(path);
    for (const name of system.list(folder))
      if (name.endsWith(".cdb") && !path.endsWith(`/${name}`)) removeFile(`${folder}/${name}`);
    await onBuilt({ path, copyTo: (to, mode) => copyAtomically(path, to, mode), ...stored.build! });
    appliedDigest = digest;
  }

  return {
    want,
    states: () => wanted.map((list) => stateOf(stored, list)),
    refresh: async (id) => {
      const list = wanted.find((it) => it.id === id);
      if (list === undefined) return undefined;
      await read(list, { mayShrink: true });
      return stateOf(stored, list);
    },
    upload: async (id, text, format) => {
      if (wanted.some((it) => it.id === id && it.source.kind !== "upload"))
        throw new Error("This list is read from elsewhere");
      const from = { kind: "text" as const, text };
      const answer = await lanes.near(() => fetchList({ list: { id, format }, from, mayShrink: true }));
      if (answer.kind === "refused") throw new Error(sentence(answer.problem));
      const before = stored.lists[id]?.source === "upload" ? stored.lists[id] : neverRead("upload");
      const after = afterAnswer(answer, before, now());
      store(withList(stored, id, after));
      buildIfNew();
      return { digest: after.digest, entries: after.entries, skipped: after.skipped };
    },
    forget,
    lookup: (name) => found?.lookup(name),
    whenRestored: async () => {
      const digest = digestNow();
      const isBuilt = stored.build?.digest === digest && stampOf(builtPath(digest)) !== undefined;
      if (isBuilt && appliedDigest !== digest && fetching.size === 0) await lanes.near(async () => {});
    },
    whenIdle: async () => {
      while (fetching.size > 0 || isBuilding) await Promise.all([...fetching.values(), lanes.near(async () => {})]);
    },
    close: async () => {
      closing.abort();
      clearTimeout(timer);
      clearTimeout(buildTimer);
      await Promise.all([lanes.near(async () => {}), lanes.far(async () => {}), ...fetching.values()]);
      found?.close();
      found = undefined;
    },
  };
}

const checkEveryMs = 30_000;
const buildLimitMs = 600_000;

/** Beside this file in the source; beside the program when everything is in one file. */
const workerScript = new URL(
  import.meta.url.endsWith(".ts") ? "./lists.worker.ts" : "./portcullis-lists.mjs",
  import.meta.url,
);

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
