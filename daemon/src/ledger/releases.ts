import { canonical } from "./canonical.ts";
import type { Cause, Draft, Publishing, Refusal } from "./change.ts";
import type { Database, Row } from "./database.ts";
import { type Difference, difference } from "./difference.ts";
import { clearPending, type Edit, type Pending, readPending, writePending } from "./pending.ts";
import { bodiesAt, bodyNow, currentRevision, digestsNow, kindDigests, publish, publishable } from "./publication.ts";
import { prune } from "./retention.ts";
import type { Resource, WritableCollection } from "./collection.ts";

export interface Revision {
  readonly number: number;
  readonly at: string;
  readonly actor: string;
  readonly cause: string;
  readonly digest: string;
  readonly changed: number;
  readonly pinned: boolean;
  readonly note: string;
}

/** Kind → resources in order of id. */
export type Document = Readonly<Record<string, readonly Resource[]>>;

/** Published revisions: list, compare, apply and roll back. */
export interface Releases {
  /** Newest first. */
  list(search: { before?: number | undefined; limit: number }): Revision[];
  find(revision: number): Revision | undefined;
  count(): number;
  describe(cause: Cause, revision: number, change: { pinned?: boolean | undefined; note?: string | undefined }): void;
  document(revision: number): Document;
  /** The document as canonical JSON. */
  export(revision: number): string;
  kindDigests(revision: number): Record<string, string>;
  /** Every version of a kind that a retained revision contains. */
  versions(kind: string): Resource[];
  differences(from: number, to: number): Difference[];
  /** Staged changes of on-apply kinds that are not published. */
  staged(): Difference[];
  /** Publishes the staged changes; returns the number of resources. */
  apply(cause: Cause, confirmWithinSec?: number): number;
  /** For one change with everything it publishes; `withStaged`: also the staged changes of on-apply kinds. */
  publishing(options: { withStaged: boolean; confirmWithinSec: number | undefined }): Release;
  /** Publishes and stages an older revision; `choose` decides what is restored of each differing resource. */
  rollback(cause: Cause, revision: number, confirmWithinSec?: number, options?: RollbackOptions): number;
  pending(): Pending | undefined;
  confirm(cause: Cause): void;
  revert(cause: Cause, reason: string): void;
  /** Deletes old revisions that are not pinned; returns their number. */
  retain(): number;
}

/** The current and the older version of a resource → the version that a rollback publishes. */
export type Choose = (kind: string, now: Resource | undefined, then: Resource | undefined) => Resource | undefined;

export interface RollbackOptions {
  readonly choose?: Choose;
  /** For the audit entry. */
  readonly details?: Readonly<Record<string, unknown>>;
}

interface Needs {
  readonly database: Database;
  readonly kinds: Readonly<Record<string, Publishing>>;
  readonly kindNames: readonly string[];
  readonly collection: (kind: string) => WritableCollection;
  readonly now: () => Date;
  readonly refuse: (refusal: Refusal) => Error;
  readonly keepRevisions: number;
  readonly change: <T>(cause: Cause, work: (draft: Draft) => T, publishing: Release) => T;
}
/** Publishes what a change has staged; returns the revision. */
export type Release = (cause: Cause, staged: readonly Difference[]) => number | undefined;

export function openReleases({
  database,
  kinds,
  kindNames,
  collection,
  now,
  refuse,
  keepRevisions,
  change,
}: Needs): Releases {
  const current = () => currentRevision(database);

  function find(revision: number): Revision | undefined {
    const row = database.get("SELECT * FROM revision WHERE number = ?", revision);
    return row && toRevision(row);
  }
  function known(revision: number): number {
    if (!find(revision)) throw refuse("unknown-revision");
    return revision;
  }
  const resourcesAt = (kind: string, revision: number): Resource[] =>
    bodiesAt(database, kind, revision).map(({ body }) => JSON.parse(body) as Resource);

  const lastRead = new Map<string, { readonly digest: string | undefined; readonly resources: readonly Resource[] }>();

  /**
   * The published resources of a kind, which every change needs. For an at-once kind they are equal to the staged
   * collection. For other kinds they are read again only if the digest has changed, and only those that differ from
   * the staged ones.
   */
  function publishedNow(kind: string): readonly Resource[] {
    if (kinds[kind] === "at-once") return [...collection(kind).all()];
    const digest = kindDigests(database, [kind], current())[kind];
    const known = lastRead.get(kind);
    if (known && known.digest === digest) return known.resources;
    const differing = new Map(differingFromStaged(kind).map((id) => [id, bodyNow(database, kind, id)]));
    const shared = collection(kind)
      .all()
      .filter(({ id }) => !differing.has(id));
    const own = [...differing.values()].flatMap((body) => (body === undefined ? [] : [JSON.parse(body) as Resource]));
    const resources = own.length === 0 ? shared : [...shared, ...own].toSorted(byId);
    lastRead.set(kind, { digest, resources });
    return resources;
  }

  /** After an apply, the published resources are equal to the staged ones. */
  function cacheStaged(kind: string): void {
    const digest = kindDigests(database, [kind], current())[kind];
    lastRead.set(kind, { digest, resources: [...collection(kind).all()] });
  }

  /** Ids whose published and staged versions differ, or that exist in one of them only. */
  function differingFromStaged(kind: string): string[] {
    const published = digestsNow(database, kind);
    const staged = new Map(
      database
        .all("SELECT id, digest FROM staged WHERE kind = ?", kind)
        .map(({ id, digest }) => [String(id), String(digest)]),
    );
    const gone = [...published.keys()].filter((id) => !staged.has(id));
    const changed = [...staged].filter(([id, digest]) => published.get(id) !== digest).map(([id]) => id);
    return [...gone, ...changed].toSorted();
  }

  const pending = () => readPending(database);

  /** Publishes these differences; with a deadline the publication is provisional. */
  function release(
    differences: readonly Difference[],
    after: (it: Difference) => Resource | undefined,
    provisional?: Provisional,
  ): Release {
    return ({ actor, action }) => {
      if (differences.length === 0) return undefined;
      const at = now();
      const base = current();
      const publishables = differences.map((it) => publishable(it.kind, it.id, after(it)));
      const revision = publish(database, kindNames, { at: at.toISOString(), actor, cause: action }, publishables);
      if (provisional) {
        const { withinSec, restage, edits } = provisional;
        const deadline = new Date(at.getTime() + withinSec * 1000).toISOString();
        // A rollback affects the whole document: after its revert a new reference could be dangling.
        const locked = restage ? kindNames : [...new Set(differences.map(({ kind }) => kind))].toSorted();
        writePending(database, {
          revision,
          base,
          at: at.toISOString(),
          deadline,
          actor,
          kinds: locked,
          restage,
          edits,
        });
      }
      return revision;
    };
  }

  /** Stages and publishes the given kinds as in the target revision. */
  function goBack(
    cause: Cause,
    target: number,
    names: readonly string[],
    options: {
      readonly restage: boolean;
      readonly edits?: readonly Edit[];
      readonly provisional?: Provisional | undefined;
      readonly choose?: Choose | undefined;
      readonly about: string;
      readonly details: Readonly<Record<string, unknown>>;
    },
  ): number {
    const restored = new Map(
      names.map((kind) => [
        kind,
        chosen(kind, resourcesAt(kind, current()), resourcesAt(kind, target), options.choose),
      ]),
    );
    const wanted = new Map([...restored].flatMap(([kind, all]) => all.map((it) => [`${kind} ${it.id}`, it] as const)));
    const differences = names.flatMap((kind) => compare(kind, resourcesAt(kind, current()), restored.get(kind)!));
    change(
      cause,
      (draft) => {
        clearPending(database);
        const restaged = names.filter((kind) => options.restage || kinds[kind] === "at-once");
        for (const kind of restaged) stage(draft, kind, collection(kind).all(), restored.get(kind)!);
        for (const { kind, id, resource } of options.edits ?? [])
          if (resource) draft.put(kind, resource);
          else draft.remove(kind, id);
        draft.about(options.about, options.details);
      },
      release(differences, ({ kind, id }) => wanted.get(`${kind} ${id}`), options.provisional),
    );
    return current();
  }

  return {
    find,
    pending,
    list: ({ before, limit }) =>
      database
        .all(
          "SELECT * FROM revision WHERE number < ? ORDER BY number DESC LIMIT ?",
          before ?? Number.MAX_SAFE_INTEGER,
          limit,
        )
        .map(toRevision),
    count: () => Number(database.get("SELECT count(*) AS number FROM revision")!["number"]),
    describe: (cause, revision, { pinned, note }) =>
      change(
        cause,
        (draft) => {
          const before = find(known(revision))!;
          const after = { pinned: pinned ?? before.pinned, note: note ?? before.note };
          if (after.pinned === before.pinned && after.note === before.note) return;
          database.run(
            "UPDATE revision SET pinned = ?, note = ? WHERE number = ?",
            after.pinned ? 1 : 0,
            after.note,
            revision,
          );
          draft.about(String(revision), { pinned, note });
        },
        () => undefined,
      ),
    document: (revision) => {
      const isNow = revision === current();
      return Object.fromEntries(
        kindNames.map((kind) => [kind, isNow ? publishedNow(kind) : resourcesAt(kind, known(revision))]),
      );
    },
    export: (revision) =>
      canonical(Object.fromEntries(kindNames.map((kind) => [kind, resourcesAt(kind, known(revision))]))),
    kindDigests: (revision) => kindDigests(database, kindNames, revision),
    versions: (kind) =>
      database
        .all("SELECT body FROM version WHERE kind = ?", kind)
        .map(({ body }) => JSON.parse(String(body)) as Resource),
    differences: (from, to) =>
      kindNames.flatMap((kind) => compare(kind, resourcesAt(kind, known(from)), resourcesAt(kind, known(to)))),
    staged,
    apply: (cause, confirmWithinSec) => {
      if (pending()) throw refuse("change-pending");
      const differences = staged();
      if (differences.length > 0)
        change(
          cause,
          (draft) => draft.about(String(current() + 1), { published: differences.length }),
          release(
            differences,
            ({ kind, id }) => collection(kind).get(id),
            provisional(confirmWithinSec, { restage: false }),
          ),
        );
      for (const kind of new Set(differences.map((it) => it.kind))) cacheStaged(kind);
      return differences.length;
    },
    publishing: ({ withStaged, confirmWithinSec }) => {
      // A revert restores what was staged before the change.
      const waiting = provisional(confirmWithinSec, { restage: true, edits: edits() });
      return (cause, changed) => {
        if (pending()) throw refuse("change-pending");
        const differences = [
          ...changed.filter(({ kind }) => kinds[kind] === "at-once"),
          ...(withStaged ? staged() : []),
        ];
        return release(differences, ({ kind, id }) => collection(kind).get(id), waiting)(cause, differences);
      };
    },
    rollback: (cause, revision, confirmWithinSec, { choose, details = {} } = {}) => {
      if (pending()) throw refuse("change-pending");
      const about = String(known(revision));
      return goBack(cause, revision, kindNames, {
        restage: true,
        choose,
        about,
        details,
        provisional: provisional(confirmWithinSec, { restage: true, edits: edits() }),
      });
    },
    confirm: (cause) =>
      change(
        cause,
        (draft) => {
          const waiting = pending();
          if (!waiting) throw refuse("nothing-pending");
          clearPending(database);
          draft.about(String(waiting.revision));
        },
        () => undefined,
      ),
    revert: (cause, reason) => {
      const waiting = pending();
      if (!waiting) throw refuse("nothing-pending");
      goBack(cause, waiting.base, waiting.kinds, {
        restage: waiting.restage,
        edits: waiting.edits,
        about: String(waiting.revision),
        details: { reason, reverted_to: String(waiting.base) },
      });
    },
    retain: () => database.transaction(() => prune(database, keepRevisions)),
  };

  function edits(): Edit[] {
    return staged().map(({ kind, id }) => ({ kind, id, resource: collection(kind).get(id) ?? null }));
  }
  function staged(): Difference[] {
    const waiting = kindNames.filter((kind) => kinds[kind] === "on-apply");
    return waiting.flatMap((kind) =>
      differingFromStaged(kind).flatMap((id) => {
        const body = bodyNow(database, kind, id);
        const published = body === undefined ? undefined : (JSON.parse(body) as Resource);
        return difference(kind, id, published, collection(kind).get(id)) ?? [];
      }),
    );
  }
}

type Provisional = Pick<Pending, "restage" | "edits"> & { readonly withinSec: number };

const provisional = (
  withinSec: number | undefined,
  { restage, edits = [] }: { restage: boolean; edits?: readonly Edit[] },
): Provisional | undefined => (withinSec === undefined ? undefined : { withinSec, restage, edits });

const byId = (a: Resource, b: Resource): number => (a.id < b.id ? -1 : 1);

function stage(draft: Draft, kind: string, now: readonly Resource[], wanted: readonly Resource[]): void {
  const kept = new Set(wanted.map(({ id }) => id));
  const current = new Map(now.map((it) => [it.id, canonical(it)]));
  for (const id of current.keys()) if (!kept.has(id)) draft.remove(kind, id);
  for (const resource of wanted) if (current.get(resource.id) !== canonical(resource)) draft.put(kind, resource);
}

/** The resources of a kind that a rollback publishes, in order of id. */
function chosen(
  kind: string,
  now: readonly Resource[],
  then: readonly Resource[],
  choose: Choose | undefined,
): readonly Resource[] {
  if (!choose) return then;
  const present = new Map(now.map((it) => [it.id, it]));
  const past = new Map(then.map((it) => [it.id, it]));
  const ids = [...new Set([...present.keys(), ...past.keys()])].toSorted();
  return ids.flatMap((id) => choose(kind, present.get(id), past.get(id)) ?? []);
}

function compare(kind: string, before: readonly Resource[], after: readonly Resource[]): Difference[] {
  const old = new Map(before.map((it) => [it.id, it]));
  const fresh = new Map(after.map((it) => [it.id, it]));
  const ids = [...new Set([...old.keys(), ...fresh.keys()])].toSorted();
  return ids.flatMap((id) => difference(kind, id, old.get(id), fresh.get(id)) ?? []);
}

const toRevision = ({ number, at, actor, cause, digest, changed, pinned, note }: Row): Revision => ({
  number: Number(number),
  at: String(at),
  actor: String(actor),
  cause: String(cause),
  digest: String(digest),
  changed: Number(changed),
  pinned: pinned === 1,
  note: String(note),
});
