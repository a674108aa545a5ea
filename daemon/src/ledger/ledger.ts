import type { Cause, Commit, Draft, Publishing, Refusal } from "./change.ts";
import { type Database, openDatabase } from "./database.ts";
import { type Difference, difference } from "./difference.ts";
import { migrations } from "./migrations.ts";
import { currentRevision, publish, publishable } from "./publication.ts";
import { openRecords, type Records } from "./records.ts";
import { openReleases, type Releases } from "./releases.ts";
import { openCollection, type Resource, type Collection, type WritableCollection } from "./collection.ts";

export interface Ledger {
  staged<R extends Resource>(kind: string): Collection<R>;
  /** Runs `work` in one transaction with its audit entry and, for kinds that publish at once, its revision. */
  change<T>(cause: Cause, work: (draft: Draft) => T): T;
  revision(): number;
  watch(onCommit: (commit: Commit) => void): void;
  readonly releases: Releases;
  readonly records: Records;
  /** For stores of records that are not published resources. Writes must run inside `change`. */
  readonly database: Database;
  close(): void;
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

  return {
    staged: <R extends Resource>(kind: string) => collection(kind) as Collection as Collection<R>,
    change: (cause, work) => change(cause, work),
    revision: () => currentRevision(database),
    watch: (onCommit) => void watchers.push(onCommit),
    releases,
    records,
    database,
    close: () => database.close(),
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
