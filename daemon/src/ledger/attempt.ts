import { AsyncLocalStorage } from "node:async_hooks";
import type { Draft } from "./change.ts";
import { type Collection, collectionOf, type Resource, type WritableCollection } from "./collection.ts";
import { type Difference, difference } from "./difference.ts";

/**
 * Changes that are not made yet. The code that runs in the attempt reads them as if they were staged; everything else
 * reads the ledger as it is.
 */
export interface Attempt {
  /** Whether on-apply kinds are published by its commit: their staged resources count as published ones then. */
  readonly publishes: boolean;
  collection(kind: string): Collection;
  change<T>(work: (draft: Draft) => T): T;
  differences(): readonly Difference[];
  /** Before and after the attempt. */
  states(kind: string, id: string): { readonly before: Resource | undefined; readonly after: Resource | undefined };
  /** The undoing of a change outside of collections, for `undo`. */
  onUndo(undo: () => void): void;
  /** Undoes everything since this moment. */
  mark(): () => void;
}

interface Opened extends Attempt {
  isOpen: boolean;
}

/** Attempts follow the asynchronous calls of their work, so that services need not know about them. */
export function openAttempts(collections: (kind: string) => WritableCollection) {
  const running = new AsyncLocalStorage<Opened>();
  /** Work that outlives its attempt reads the ledger again. */
  const current = (): Attempt | undefined => {
    const attempt = running.getStore();
    return attempt?.isOpen === true ? attempt : undefined;
  };
  return {
    current,
    run: async <T>(publishes: boolean, work: (attempt: Attempt) => Promise<T>) => {
      const attempt = openAttempt(collections, publishes);
      try {
        return { attempt: attempt as Attempt, result: await running.run(attempt, () => work(attempt)) };
      } finally {
        attempt.isOpen = false;
      }
    },
    outside: <T>(work: () => T): T => running.exit(work),
    /** The collection of a kind, as the calling code sees it. */
    view: (kind: string): Collection => {
      const stored = collections(kind);
      const seen = () => current()?.collection(kind) ?? stored;
      return {
        get: (id) => seen().get(id),
        all: () => seen().all(),
        count: () => seen().count(),
        following: (after, limit) => seen().following(after, limit),
      };
    },
  };
}

function openAttempt(collections: (kind: string) => WritableCollection, publishes: boolean): Opened {
  const copies = new Map<string, Copy>();
  let journal: (() => void)[] = [];

  const collection = (kind: string): Collection => copies.get(kind) ?? collections(kind);

  function write(kind: string, id: string, resource: Resource | undefined): void {
    const copy = copies.get(kind) ?? copyOf(collections(kind));
    copies.set(kind, copy);
    const before = copy.get(id);
    if (before === resource) return;
    copy.set(id, resource);
    journal.push(() => copy.set(id, before));
  }
  function mark(): () => void {
    const length = journal.length;
    return () => {
      for (const undo of journal.slice(length).toReversed()) undo();
      journal = journal.slice(0, length);
    };
  }
  const draft: Draft = {
    put: (kind, resource) => write(kind, resource.id, resource),
    remove: (kind, id) => write(kind, id, undefined),
    about: () => {},
  };
  return {
    isOpen: true,
    publishes,
    collection,
    change: (work) => {
      const undo = mark();
      try {
        return work(draft);
      } catch (error) {
        undo();
        throw error;
      }
    },
    differences: () =>
      [...copies].flatMap(([kind, copy]) =>
        copy.touched().flatMap((id) => difference(kind, id, collections(kind).get(id), copy.get(id)) ?? []),
      ),
    states: (kind, id) => ({ before: collections(kind).get(id), after: collection(kind).get(id) }),
    onUndo: (undo) => void journal.push(undo),
    mark,
  };
}

interface Copy extends WritableCollection {
  touched(): readonly string[];
}

/** A copy of the whole kind, made at its first change. Resources are immutable and shared. */
function copyOf(stored: Collection): Copy {
  const copy = collectionOf(stored.all());
  const touched = new Set<string>();
  return {
    ...copy,
    set: (id, resource) => {
      touched.add(id);
      copy.set(id, resource);
    },
    touched: () => [...touched],
  };
}
