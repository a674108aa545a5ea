import { type Attempt, openAttempts } from "./attempt.ts";
import type { Cause, Commit, Draft, Publishing, Refusal } from "./change.ts";
import { type Database, openDatabase } from "./database.ts";
import { type Difference, difference } from "./difference.ts";
import { migrations } from "./migrations.ts";
import { currentRevision, publish, publishable } from "./publication.ts";
import { openRecords, type Records } from "./records.ts";
import { type Document, openReleases, type Releases } from "./releases.ts";
import { openCollection, type Resource, type Collection, type WritableCollection } from "./collection.ts";

export interface Ledger {
  staged<R extends Resource>(kind: string): Collection<R>;
  /**
   * Runs `work` in one transaction with its audit entry and, for kinds that publish at once, its revision. In an attempt it
   * changes nothing but the attempt.
   */
  change<T>(cause: Cause, work: (draft: Draft) => T): T;
  /** Runs `work` with changes that no other code sees. `commit` makes them in one transaction; without it they are dropped. */
  attempt<T>(options: AttemptOptions, work: (attempt: Attempt) => Promise<T>): Promise<Attempted<T>>;
  /** The attempt in which the calling code runs. */
  attempting(): Attempt | undefined;
  /** Runs work that reads the ledger as it is, also if an attempt has started it: what is compiled for the kernel was committed. */
  outsideAttempts<T>(work: () => T): T;
  revision(): number;
  watch(onCommit: (commit: Commit) => void): void;
  readonly releases: Releases;
  readonly records: Records;
  /** For stores of records that are not published resources. Writes must run inside `change`. */
  readonly database: Database;
  close(): void;
}

export interface AttemptOptions {
  /** Whether the commit publishes the staged resources of on-apply kinds, as an apply does. */
  readonly publishes: boolean;
}

export interface Attempted<T> {
  readonly result: T;
  readonly attempt: Attempt;
  /** Writes and publishes everything in one transaction; refused if anything was committed since the attempt began. */
  readonly commit: (cause: Cause, options: CommitOptions) => void;
}

export interface CommitOptions {
  readonly confirmWithinSec?: number | undefined;
  /** The subject of the audit entry. */
  readonly about: string;
  readonly details: Readonly<Record<string, unknown>>;
  /** Rows that are written in the same transaction. */
  readonly along: () => void;
}

export interface LedgerOptions {
  readonly path: string;
  readonly kinds: Readonly<Record<string, Publishing>>;
  readonly now: () => Date;
  readonly refuse: (refusal: Refusal) => Error;
  readonly keepRevisions: number;
}

/** Staged resources, published versions, records, and the notification of commits. */
export function openLedger({ path, kinds, now, refuse, keepRevisions }: LedgerOptions): Ledger {
  const database = openDatabase(path, migrations);
  const kindNames = Object.keys(kinds).toSorted();
  const collections = new Map<string, WritableCollection>(
    kindNames.map((kind) => [kind, openCollection(database, kind)]),
  );
  const records = openRecords(database, now);
  const watchers: ((commit: Commit) => void)[] = [];
  const attempts = openAttempts(collection);
  /** Counts commits, so that an attempt notices another one. */
  let commits = 0;

  function collection(kind: string): WritableCollection {
    const known = collections.get(kind);
    if (!known) throw new Error(`Unknown kind ${kind}`);
    return known;
  }

  function change<T>(cause: Cause, work: (draft: Draft) => T, publishing = publishAtOnce): T {
    const touched = new Map<string, Touched>();
    let subject: { id: string; details: Readonly<Record<string, unknown>> } | undefined;
    let commit: Commit | undefined;
    let committed = false;

    function write(kind: string, id: string, after: Resource | undefined): void {
      const key = `${kind} ${id}`;
      const before = touched.has(key) ? touched.get(key)!.before : collection(kind).get(id);
      touched.set(key, { kind, id, before });
      writeStaged(database, kind, id, after);
      collection(kind).set(id, after);
    }
    const draft: Draft = {
      put: (kind, resource) => write(kind, resource.id, resource),
      remove: (kind, id) => write(kind, id, undefined),
      about: (id, details = {}) => {
        subject = { id, details };
      },
    };
    try {
      const result = database.transaction(() => {
        const answer = work(draft);
        const differences = [...touched.values()].flatMap(
          ({ kind, id, before }) => difference(kind, id, before, collection(kind).get(id)) ?? [],
        );
        if (differences.length === 0 && !subject) return answer;
        const revision = publishing(cause, differences);
        const resourceId = subject?.id ?? differences[0]!.id;
        const auditId = records.audit(cause, resourceId, {
          ...auditDetails(resourceId, differences),
          ...subject?.details,
        });
        commit = { cause, resourceId, auditId, ...(revision !== undefined && { revision }) };
        return answer;
      });
      committed = true;
      if (commit) commits += 1;
      if (commit) for (const watcher of watchers) watcher(commit);
      return result;
    } catch (error) {
      if (!committed) for (const { kind, id, before } of touched.values()) collection(kind).set(id, before);
      throw error;
    }
  }

  function publishAtOnce({ actor, action }: Cause, differences: readonly Difference[]): number | undefined {
    const locked = releases.pending()?.kinds;
    if (differences.some(({ kind }) => locked?.includes(kind))) throw refuse("change-pending");
    const changed = differences.filter(({ kind }) => kinds[kind] === "at-once");
    if (changed.length === 0) return undefined;
    const publishables = changed.map(({ kind, id }) => publishable(kind, id, collection(kind).get(id)));
    return publish(database, kindNames, { at: now().toISOString(), actor, cause: action }, publishables);
  }

  const releases = openReleases({ database, kinds, kindNames, collection, now, refuse, keepRevisions, change });
  if (currentRevision(database) === 0)
    database.transaction(() =>
      publish(database, kindNames, { at: now().toISOString(), actor: "system", cause: "first_start" }, []),
    );

  /** In an attempt, what its commit would publish counts as published. */
  function documentSeen(revision: number): Document {
    const document = releases.document(revision);
    const current = attempts.current();
    if (!current || revision !== currentRevision(database)) return document;
    const seen = kindNames.filter((kind) => kinds[kind] === "at-once" || current.publishes);
    return { ...document, ...Object.fromEntries(seen.map((kind) => [kind, current.collection(kind).all()])) };
  }
  const views = new Map(kindNames.map((kind) => [kind, attempts.view(kind)]));

  async function attempt<T>({ publishes }: AttemptOptions, work: (it: Attempt) => Promise<T>): Promise<Attempted<T>> {
    const begun = commits;
    const done = await attempts.run(publishes, work);
    const commit = (cause: Cause, { confirmWithinSec, about, details, along }: CommitOptions): void => {
      if (commits !== begun) throw refuse("changed-meanwhile");
      const differences = done.attempt.differences();
      const publishing = releases.publishing({ withStaged: publishes, confirmWithinSec });
      change(
        cause,
        (draft) => {
          along();
          for (const { kind, id } of differences) {
            const { after } = done.attempt.states(kind, id);
            if (after) draft.put(kind, after);
            else draft.remove(kind, id);
          }
          draft.about(about, details);
        },
        publishing,
      );
    };
    return { ...done, commit };
  }

  return {
    staged: <R extends Resource>(kind: string) => (views.get(kind) ?? collection(kind)) as Collection as Collection<R>,
    change: (cause, work) => {
      const current = attempts.current();
      return current ? current.change(work) : change(cause, work);
    },
    attempt,
    attempting: attempts.current,
    outsideAttempts: attempts.outside,
    revision: () => currentRevision(database),
    watch: (onCommit) => void watchers.push(onCommit),
    releases: { ...releases, document: (revision) => documentSeen(revision) },
    records,
    database: withoutWritesIn(attempts.current, database),
    close: () => database.close(),
  };
}

/** A write in an attempt would stay although the attempt is given up. */
function withoutWritesIn(current: () => Attempt | undefined, database: Database): Database {
  const refuse = (): void => {
    if (current()) throw new Error("An attempt writes to no table");
  };
  return {
    ...database,
    run: (sql, ...values) => {
      refuse();
      return database.run(sql, ...values);
    },
    transaction: (work) => {
      refuse();
      return database.transaction(work);
    },
  };
}

interface Touched {
  readonly kind: string;
  readonly id: string;
  readonly before: Resource | undefined;
}

function writeStaged(database: Database, kind: string, id: string, resource: Resource | undefined): void {
  const { body, digest } = publishable(kind, id, resource);
  if (body === undefined || digest === undefined)
    database.run("DELETE FROM staged WHERE kind = ? AND id = ?", kind, id);
  else
    database.run(
      "INSERT INTO staged (kind, id, body, digest) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET body = excluded.body, digest = excluded.digest",
      kind,
      id,
      body,
      digest,
    );
}

const shownAlong = 50;

/** The details of an audit entry: the changed fields of the subject, and the other changed resources. */
function auditDetails(subjectId: string, differences: readonly Difference[]): Record<string, unknown> {
  const subject = differences.find(({ id }) => id === subjectId);
  const others = differences.filter((it) => it !== subject);
  return {
    ...(subject && { name: subject.name, change: subject.change, fields: subject.fields }),
    ...(others.length > 0 && {
      also_changed: others.length,
      also: others.slice(0, shownAlong).map(({ kind, id, change }) => ({ kind, id, change })),
    }),
  };
}
