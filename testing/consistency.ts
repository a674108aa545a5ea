import { controls } from "@portcullis/contract/privacy-controls";
import { bucketOf, canonical, digestOf } from "../daemon/src/ledger/canonical.ts";
import type { TestDaemon } from "./daemon.ts";
import { type StateOnDisk, unseal } from "./state.ts";
import { agrees, type Attempt, type Resource, type Resources, recordValue, type Writer, omit } from "./writers.ts";

/** The state of a daemon as its API reports it. */
export interface ObservedState {
  readonly revision: number;
  /** "device w0-17" → the resource. */
  readonly resources: Resources;
  readonly members: ReadonlyMap<string, readonly string[]>;
  readonly snapshot: {
    readonly digest: string;
    readonly kinds: Readonly<Record<string, string>>;
    readonly document: Readonly<Record<string, readonly Resource[]>>;
  };
  /** Oldest first, since the last checkpoint. */
  readonly audit: readonly { readonly id: number; readonly action: string; readonly resource_id: string }[];
}

/** The revision and the audit entry up to which all was verified. */
export interface Checkpoint {
  readonly revision: number;
  readonly auditId: number;
}

export async function observe(daemon: TestDaemon, since: Checkpoint): Promise<ObservedState> {
  const list = async (path: string) => (await daemon.request("GET", `${path}?limit=1000`)).json() as Resource[];
  const { revision } = (await daemon.request("GET", "/status")).json() as { revision: number };
  const groups = await list("/device-groups");
  const settings = ((await daemon.request("GET", "/settings")).json() as Resource[]).filter(({ writable }) => writable);
  const byKind = {
    device: await list("/devices"),
    device_group: groups.map((it) => omit(it, "device_ids")),
    trust_class: await list("/trust-classes"),
    setting: settings.filter(({ secret }) => !secret).map(({ key, value }) => ({ id: key, value })),
    secret: await list("/secrets"),
  };
  return {
    revision,
    resources: new Map(
      Object.entries(byKind).flatMap(([kind, items]) =>
        items.map((it: Resource) => [`${kind} ${(it["name"] ?? it["id"]) as string}`, it] as const),
      ),
    ),
    members: new Map(groups.map(({ id, device_ids }) => [id as string, device_ids as string[]])),
    snapshot: (await daemon.request("GET", `/snapshots/${revision}`)).json() as ObservedState["snapshot"],
    audit: await auditSince(daemon, since.auditId),
  };
}

async function auditSince(daemon: TestDaemon, last: number): Promise<ObservedState["audit"]> {
  const entries: { id: number; action: string; resource_id: string }[] = [];
  let path: string | undefined = "/audit?limit=1000";
  while (path !== undefined) {
    const reply = await daemon.request("GET", path);
    entries.push(...(reply.json() as typeof entries));
    const next = /<\/api\/v1([^>]+)>/.exec(reply.headers.get("link") ?? "")?.[1];
    path = (entries.at(-1)?.id ?? 0) > last ? next : undefined;
  }
  return entries.filter(({ id }) => id > last).toReversed();
}

/**
 * Violations of what was acknowledged to the writers. An acknowledged change is there, an unanswered one is there
 * completely or not at all, and each has one audit entry and one revision.
 */
export async function violations(
  writers: readonly Writer[],
  seen: ObservedState,
  disk: StateOnDisk,
  since: Checkpoint,
): Promise<string[]> {
  return [
    ...(disk.integrity === "ok" ? [] : [`the database file is damaged: ${disk.integrity}`]),
    ...disk.unpublished.map((it) => `${it} is not published as it is staged`),
    ...writers.flatMap((writer) => lostWrites(writer, seen.resources)),
    ...unexpectedResources(writers, seen.resources),
    ...wrongMembers(seen),
    ...wrongRecords(writers, seen, since),
    ...wrongSnapshot(seen),
    ...(await Promise.all(writers.map((writer) => wrongValues(writer, seen.resources, disk)))).flat(),
  ];
}

/** Makes the observed state the expected one. */
export function checkpoint(
  writers: readonly Writer[],
  { resources, revision, audit }: ObservedState,
  since: Checkpoint,
): Checkpoint {
  for (const writer of writers) {
    if (writer.inFlight && hasHappened(writer.inFlight, writer, resources)) recordValue(writer, writer.inFlight);
    writer.resources = ownOf(writer, resources);
    writer.acknowledged = [];
    writer.inFlight = undefined;
  }
  return { revision, auditId: audit.at(-1)?.id ?? since.auditId };
}

const isOwn = ({ name, settings }: Writer, key: string): boolean =>
  key.includes(` ${name}-`) || settings.some((setting) => key === `setting ${setting}`);

const ownOf = (writer: Writer, resources: Resources): Resources =>
  new Map([...resources].filter(([key]) => isOwn(writer, key)));

const hasHappened = ({ after }: Attempt, writer: Writer, resources: Resources): boolean =>
  differing(after, ownOf(writer, resources)).length === 0;

function lostWrites(writer: Writer, resources: Resources): string[] {
  if (writer.inFlight && hasHappened(writer.inFlight, writer, resources)) return [];
  const own = ownOf(writer, resources);
  return differing(writer.resources, own).map(
    (key) => `${key} was ${JSON.stringify(writer.resources.get(key))} and is ${JSON.stringify(own.get(key))}`,
  );
}

function differing(expected: Resources, actual: Resources): string[] {
  const keys = new Set([...expected.keys(), ...actual.keys()]);
  return [...keys].filter((key) => {
    const [wanted, is] = [expected.get(key), actual.get(key)];
    return !wanted || !is || !agrees(wanted, is);
  });
}

const unexpectedResources = (writers: readonly Writer[], resources: Resources): string[] =>
  [...resources]
    .filter(([key, { value }]) => value !== null && !writers.some((writer) => isOwn(writer, key)))
    .map(([key]) => `no writer created ${key}`);

function wrongMembers({ resources, members }: ObservedState): string[] {
  const devices = [...resources].filter(([key]) => key.startsWith("device ")).map(([, device]) => device);
  return [...members].flatMap(([group, ids]) => {
    const claimed = devices.filter(({ group_ids }) => (group_ids as string[]).includes(group)).map(({ id }) => id);
    return canonical(claimed) === canonical(ids)
      ? []
      : [`group ${group} does not list the devices that are members of it`];
  });
}

/** Exactly one audit entry and one revision for each change that happened. */
function wrongRecords(
  writers: readonly Writer[],
  { resources, audit, revision }: ObservedState,
  since: Checkpoint,
): string[] {
  const happened = writers.flatMap((writer) => {
    const { acknowledged, inFlight } = writer;
    const known = acknowledged.map(({ attempt, id }) => `${attempt.action} ${id}`);
    if (!inFlight || !hasHappened(inFlight, writer, resources)) return known;
    const { id } = resources.get(inFlight.subject) ?? inFlight.before.get(inFlight.subject)!;
    return [...known, `${inFlight.action} ${id as string}`];
  });
  const recorded = audit.map(({ action, resource_id }) => `${action} ${resource_id}`);
  const gap = audit.findIndex(({ id }, index) => id !== since.auditId + 1 + index);
  return [
    ...excess(happened, recorded).map((it) => `no audit entry for ${it}`),
    ...excess(recorded, happened).map((it) => `an audit entry for ${it}, which did not happen`),
    ...(gap === -1 ? [] : [`the audit log has a gap before ${audit[gap]!.id}`]),
    ...(revision === since.revision + happened.length
      ? []
      : [`${happened.length} changes made ${revision - since.revision} revisions`]),
  ];
}

/** What `items` has more often than `others`. */
function excess(items: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const it of others) left.set(it, (left.get(it) ?? 0) + 1);
  return items.filter((it) => {
    const count = left.get(it) ?? 0;
    left.set(it, count - 1);
    return count <= 0;
  });
}

/** As it is published: no sightings, and of a device's controls only those it decides on itself. */
const asWritten = (resource: Resource): Resource =>
  omit(resource, "last_seen", ...controls.filter((control) => resource[control] === null));

/** The published document is what is staged, and its digests are those of its bytes. */
function wrongSnapshot({ resources, snapshot }: ObservedState): string[] {
  const kinds = Object.keys(snapshot.document);
  const different = kinds.filter((kind) => {
    const staged = [...resources].filter(([key, { value }]) => key.startsWith(`${kind} `) && value !== null);
    const bodies = staged.map(([, it]) => canonical(asWritten(it))).toSorted();
    return canonical(bodies) !== canonical(snapshot.document[kind]!.map(canonical).toSorted());
  });
  const digests = kinds.map((kind) => [kind, kindDigest(snapshot.document[kind]!)] as const).filter(([, it]) => it);
  const whole = digestOf(digests.map(([kind, digest]) => `${kind} ${digest}\n`).join(""));
  return [
    ...different.map((kind) => `the snapshot has other resources of kind ${kind} than are staged`),
    ...digests
      .filter(([kind, digest]) => snapshot.kinds[kind] !== digest)
      .map(([kind]) => `the digest of kind ${kind} is not that of its resources`),
    ...(whole === snapshot.digest ? [] : ["the snapshot's digest is not that of its kinds"]),
  ];
}

function kindDigest(resources: readonly Resource[]): string {
  const buckets = Map.groupBy(resources, ({ id }) => bucketOf(id as string));
  const lines = [...buckets]
    .toSorted(([a], [b]) => a - b)
    .map(([bucket, items]) => {
      const rows = items.map((it) => `${it["id"] as string} ${digestOf(canonical(it))}\n`);
      return `${bucket} ${digestOf(rows.join(""))}\n`;
    });
  return lines.length === 0 ? "" : digestOf(lines.join(""));
}

/** The sealed value of a secret has the secret's version. Only changed ones are unsealed, because that is slow. */
async function wrongValues(writer: Writer, resources: Resources, disk: StateOnDisk): Promise<string[]> {
  const { acknowledged, inFlight, values } = writer;
  const happened = inFlight && hasHappened(inFlight, writer, resources) ? [inFlight] : [];
  const touched = new Set([...acknowledged.map(({ attempt }) => attempt), ...happened].map(({ subject }) => subject));
  const latest = new Map(values);
  for (const { subject, body } of happened)
    if (body?.["value"] !== undefined) latest.set(subject, body["value"] as string);
  const wrong = [...touched].map(async (key) => {
    const secret = key.startsWith("secret ") ? resources.get(key) : undefined;
    if (!secret) return [];
    const row = disk.values.find((it) => it.secret_id === secret["id"] && it.version === secret["version"]);
    const value = row && (await unseal(disk.passphrase!, row.value).catch(() => undefined));
    return value === latest.get(key) ? [] : [`the value of ${key} is not the one that was sent`];
  });
  return (await Promise.all(wrong)).flat();
}
