import { because } from "@portcullis/contract/reason";
import type { ReadAnswer } from "./fetch.ts";
import { type ListState, sourceOf, type WantedList } from "./lists.model.ts";
import { nextRequestMs } from "./schedule.model.ts";
import type { StoredList, StoredLists } from "./stored.ts";

/** A list from another source is another list, even with the same id. */
export const storedOf = ({ lists }: StoredLists, list: WantedList): StoredList | undefined =>
  lists[list.id]?.source === sourceOf(list) ? lists[list.id] : undefined;

export const neverRead = (source: string): StoredList => ({
  source,
  digest: "",
  entries: 0,
  skipped: 0,
  bytes: 0,
  readAtMs: 0,
  requestedAtMs: 0,
  failures: 0,
  problem: null,
  validators: noValidators,
  stamp: null,
});

export const noValidators = { etag: null, lastModified: null };

/** A record without its text is useless: "not modified" would refer to nothing. */
export const withTexts = (stored: StoredLists, hasText: (id: string) => boolean): StoredLists => ({
  ...stored,
  lists: Object.fromEntries(Object.entries(stored.lists).filter(([id, { digest }]) => digest === "" || hasText(id))),
});

/** Lists that are no longer wanted and can be fetched again. Uploads cannot. */
export const unusedLists = (stored: StoredLists, wanted: readonly WantedList[]): string[] =>
  Object.entries(stored.lists)
    .filter(([, { source }]) => source !== "upload")
    .map(([id]) => id)
    .filter((id) => !wanted.some((it) => it.id === id && storedOf(stored, it) !== undefined));

export function withoutList(stored: StoredLists, id: string): StoredLists {
  const { [id]: _, ...lists } = stored.lists;
  return { ...stored, lists };
}

export const withList = (stored: StoredLists, id: string, list: StoredList): StoredLists => ({
  ...stored,
  lists: { ...stored.lists, [id]: list },
});

interface Moment {
  readonly nowMs: number;
  /** Drawn once per list: drawn at each check, the earliest would win. */
  readonly chance: number;
  /** Of a list that is a file on the gateway. */
  readonly stamp: (path: string) => string | null;
}

/** Whether a list has to be read now. */
export function isDue(stored: StoredLists, list: WantedList, { nowMs, chance, stamp }: Moment): boolean {
  const known = storedOf(stored, list);
  const { source } = list;
  if (source.kind === "upload") return false;
  if (source.kind === "file") return known === undefined || known.stamp !== stamp(source.path);
  return known === undefined || nowMs >= nextRequestMs({ ...known, refreshSec: source.refreshSec, chance });
}

/** The record after an attempt to read. What was read before stays in force when the attempt failed. */
export function afterAnswer(answer: ReadAnswer, before: StoredList, requestedAtMs: number): StoredList {
  switch (answer.kind) {
    case "unchanged":
      return { ...before, requestedAtMs, failures: 0, problem: null };
    case "refused":
      return { ...before, requestedAtMs, failures: before.failures + 1, problem: answer.problem };
    case "read": {
      const { found, written, validators } = answer;
      const { entries, skipped } = found;
      const readAtMs = requestedAtMs;
      return {
        ...before,
        ...written,
        entries,
        skipped,
        validators,
        requestedAtMs,
        readAtMs,
        failures: 0,
        problem: null,
      };
    }
  }
}

/** The lists that a build contains, in the order of their bits. */
export const contentOf = (stored: StoredLists, wanted: readonly WantedList[]): WantedList[] =>
  wanted.filter((it) => (storedOf(stored, it)?.digest ?? "") !== "").toSorted((one, other) => one.bit - other.bit);

/** To be increased when the same lists give another file. */
const buildVersion = 1;

/** All inputs of the built file: the same text stands for the same file. */
export const buildInputs = (stored: StoredLists, wanted: readonly WantedList[], ownNames: readonly string[]): string =>
  JSON.stringify([
    buildVersion,
    ownNames,
    contentOf(stored, wanted).map(({ id, bit, action, format }) => [bit, action, format, stored.lists[id]!.digest]),
  ]);

interface Counted {
  readonly id: string;
  readonly entries: number;
  readonly skipped: number;
}

/** Records a build, and the counts of its lists. Counts of a list that was read again meanwhile are ignored. */
export function afterBuild(
  stored: StoredLists,
  build: NonNullable<StoredLists["build"]>,
  { counts, before }: { readonly counts: readonly Counted[]; readonly before: StoredLists },
): StoredLists {
  const counted = counts
    .filter(({ id }) => stored.lists[id] !== undefined && stored.lists[id] === before.lists[id])
    .map(({ id, entries, skipped }) => [id, { ...stored.lists[id]!, entries, skipped }] as const);
  return { build, lists: { ...stored.lists, ...Object.fromEntries(counted) } };
}

interface BuildSituation {
  /** Of the lists as they are now, of the file that is in force, and of the file that was built last. */
  readonly digest: string;
  readonly appliedDigest: string | undefined;
  readonly builtDigest: string | undefined;
  readonly isBuilding: boolean;
  readonly isFetching: boolean;
  readonly mayWait: boolean;
}

/** Lists that are being fetched join the same build, unless they take long. An existing build is applied at once. */
export function buildStep(it: BuildSituation): "none" | "wait" | "build" {
  if (it.isBuilding || it.appliedDigest === it.digest) return "none";
  return it.mayWait && it.isFetching && it.builtDigest !== it.digest ? "wait" : "build";
}

/** As the operator sees it. */
export function stateOf(stored: StoredLists, list: WantedList): ListState {
  const { id, source } = list;
  const known = storedOf(stored, list);
  const { entries, skipped, bytes, readAtMs, problem } = known ?? neverRead(sourceOf(list));
  const missing = source.kind === "upload" && known === undefined ? because("list_not_uploaded") : null;
  const readAt = readAtMs === 0 ? null : new Date(readAtMs);
  return { id, entries, skipped, bytes, readAt, problem: problem ?? missing };
}
