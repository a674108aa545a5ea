import { bucketOf, canonical, digestOf } from "./canonical.ts";
import type { Database } from "./database.ts";
import type { Resource } from "./collection.ts";

/** A resource for publication; without a body it is deleted. */
export interface Publishable {
  readonly kind: string;
  readonly id: string;
  readonly body: string | undefined;
  readonly digest: string | undefined;
}

export function publishable(kind: string, id: string, resource: Resource | undefined): Publishable {
  const body = resource && canonical(resource);
  return { kind, id, body, digest: body === undefined ? undefined : digestOf(body) };
}

export interface Publisher {
  readonly at: string;
  readonly actor: string;
  readonly cause: string;
}

/**
 * Writes the changed resources under the next revision: old versions end, new ones begin, the digests of their buckets
 * and kinds are recomputed. Runs inside the caller's transaction.
 */
export function publish(
  database: Database,
  kinds: readonly string[],
  { at, actor, cause }: Publisher,
  changed: readonly Publishable[],
): number {
  const revision = currentRevision(database) + 1;
  for (const { kind, id, body, digest } of changed) {
    const bucket = bucketOf(id);
    database.run(
      "UPDATE version SET until = ? WHERE kind = ? AND bucket = ? AND id = ? AND until IS NULL",
      revision,
      kind,
      bucket,
      id,
    );
    if (body !== undefined && digest !== undefined)
      database.run(
        "INSERT INTO version (kind, bucket, id, since, body, digest) VALUES (?, ?, ?, ?, ?, ?)",
        kind,
        bucket,
        id,
        revision,
        body,
        digest,
      );
  }
  for (const [kind, items] of Object.entries(Object.groupBy(changed, ({ kind }) => kind))) {
    for (const bucket of new Set(items!.map(({ id }) => bucketOf(id)))) digestBucket(database, kind, bucket);
    digestKind(database, kind, revision);
  }
  database.run(
    "INSERT INTO revision (number, at, actor, cause, digest, changed) VALUES (?, ?, ?, ?, ?, ?)",
    revision,
    at,
    actor,
    cause,
    wholeDigest(kindDigests(database, kinds, revision)),
    changed.length,
  );
  return revision;
}

export const currentRevision = (database: Database): number =>
  Number(database.get("SELECT max(number) AS number FROM revision")?.["number"] ?? 0);

/** Kind → digest at a revision. A kind without resources has none, so that a new empty kind changes nothing. */
export function kindDigests(database: Database, kinds: readonly string[], revision: number): Record<string, string> {
  const pairs = kinds.map((kind) => [kind, kindDigestAt(database, kind, revision)] as const);
  return Object.fromEntries(pairs.filter(([, digest]) => digest !== ""));
}

const kindDigestAt = (database: Database, kind: string, revision: number): string =>
  String(
    database.get(
      "SELECT digest FROM kind_digest WHERE kind = ? AND revision <= ? ORDER BY revision DESC LIMIT 1",
      kind,
      revision,
    )?.["digest"] ?? "",
  );

/** The bodies of one kind at a revision, in order of id. */
export function bodiesAt(
  database: Database,
  kind: string,
  revision: number,
): { id: string; body: string; digest: string }[] {
  return database
    .all(
      "SELECT id, body, digest FROM version WHERE kind = ? AND since <= ? AND (until IS NULL OR until > ?) ORDER BY id",
      kind,
      revision,
      revision,
    )
    .map(({ id, body, digest }) => ({ id: String(id), body: String(body), digest: String(digest) }));
}

/** The published body of one resource. */
export function bodyNow(database: Database, kind: string, id: string): string | undefined {
  const row = database.get(
    "SELECT body FROM version WHERE kind = ? AND bucket = ? AND id = ? AND until IS NULL",
    kind,
    bucketOf(id),
    id,
  );
  return row && String(row["body"]);
}

/** Id → digest of the published resources, so that they can be compared without reading their bodies. */
export const digestsNow = (database: Database, kind: string): Map<string, string> =>
  new Map(
    database
      .all("SELECT id, digest FROM version WHERE kind = ? AND until IS NULL", kind)
      .map(({ id, digest }) => [String(id), String(digest)]),
  );

function digestBucket(database: Database, kind: string, bucket: number): void {
  const live = database.all(
    "SELECT id, digest FROM version WHERE kind = ? AND bucket = ? AND until IS NULL ORDER BY id",
    kind,
    bucket,
  );
  if (live.length === 0) database.run("DELETE FROM bucket WHERE kind = ? AND bucket = ?", kind, bucket);
  else
    database.run(
      "INSERT INTO bucket (kind, bucket, digest) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET digest = excluded.digest",
      kind,
      bucket,
      digestOf(live.map(({ id, digest }) => `${id} ${digest}\n`).join("")),
    );
}

function digestKind(database: Database, kind: string, revision: number): void {
  const buckets = database.all("SELECT bucket, digest FROM bucket WHERE kind = ? ORDER BY bucket", kind);
  const digest =
    buckets.length === 0 ? "" : digestOf(buckets.map(({ bucket, digest }) => `${bucket} ${digest}\n`).join(""));
  database.run("INSERT INTO kind_digest (kind, revision, digest) VALUES (?, ?, ?)", kind, revision, digest);
}

const wholeDigest = (kinds: Record<string, string>): string =>
  digestOf(
    Object.entries(kinds)
      .map(([kind, digest]) => `${kind} ${digest}\n`)
      .join(""),
  );
