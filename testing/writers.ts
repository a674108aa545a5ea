import { isDeepStrictEqual } from "node:util";
import type { TestDaemon } from "./daemon.ts";

/** A resource as the API returns it. Fields that the gateway assigns are absent until they were returned. */
export type Resource = Readonly<Record<string, unknown>>;
/** "device w0-17" → the resource. */
export type Resources = ReadonlyMap<string, Resource>;

/** One change, and the resources after it. */
export interface Attempt {
  readonly method: "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly body?: Resource;
  /** Its name in the audit log. */
  readonly action: string;
  /** The changed resource: a key of the resources before, after, or both. */
  readonly subject: string;
  readonly before: Resources;
  readonly after: Resources;
}

/** A client that changes its own resources concurrently with others, and records what was acknowledged. */
export interface Writer {
  readonly name: string;
  /** Settings that no other writer changes. */
  readonly settings: readonly string[];
  /** As last acknowledged. */
  resources: Resources;
  /** Acknowledged since the last checkpoint, with the id of the response. */
  acknowledged: { readonly attempt: Attempt; readonly id: string }[];
  /** Sent and not answered: it may have happened or not, but not in part. */
  inFlight: Attempt | undefined;
  /** Secret → its last value, which the API never returns. */
  readonly values: Map<string, string>;
  serial: number;
}

export const createWriter = (name: string, settings: readonly string[]): Writer => ({
  name,
  settings,
  resources: new Map(settings.map((key) => [`setting ${key}`, { id: key, value: null }])),
  acknowledged: [],
  inFlight: undefined,
  values: new Map(),
  serial: 0,
});

/** Sends one change after another until `isEnough`, or until the daemon stops answering. */
export async function write(
  writer: Writer,
  daemon: TestDaemon,
  { random, isEnough }: { random: () => number; isEnough: () => boolean },
): Promise<void> {
  while (!isEnough()) {
    const attempt = nextAttempt(writer, random);
    writer.inFlight = attempt;
    const reply = await daemon.request(attempt.method, attempt.path, { body: attempt.body }).catch(() => undefined);
    if (!reply) return;
    if (reply.status >= 300) throw new Error(`${attempt.method} ${attempt.path} answered ${reply.text}`);
    acknowledge(writer, attempt, reply.json() as Resource);
  }
}

function acknowledge(writer: Writer, attempt: Attempt, answer: Resource): void {
  const { subject, after } = attempt;
  const expected = after.get(subject);
  // Membership is compared by the devices only, so that it is compared once.
  const received = subject.startsWith("setting ") ? expected : omit(answer, "device_ids");
  if (expected && !agrees(expected, received!))
    throw new Error(`${subject} should be ${JSON.stringify(expected)} and the answer is ${JSON.stringify(answer)}`);
  const id = (expected ? received! : attempt.before.get(subject)!)["id"] as string;
  writer.resources = expected ? changed(after, subject, received) : after;
  writer.acknowledged.push({ attempt, id });
  writer.inFlight = undefined;
  recordValue(writer, attempt);
}

/** Records the value of an attempt that has happened. */
export function recordValue({ values }: Writer, { subject, body }: Attempt): void {
  if (subject.startsWith("secret ") && body?.["value"] !== undefined) values.set(subject, body["value"] as string);
}

/** Whether a resource is the expected one. Only fields that the gateway assigns may be unknown. */
export function agrees(expected: Resource, actual: Resource): boolean {
  const assigned = ["id", "first_seen", "created_at", "updated_at"].filter((field) => field in actual);
  const filled = { ...Object.fromEntries(assigned.map((field) => [field, actual[field]])), ...expected };
  return isDeepStrictEqual(filled, actual);
}

export const omit = (resource: Resource, ...fields: readonly string[]): Resource =>
  Object.fromEntries(Object.entries(resource).filter(([field]) => !fields.includes(field)));

/** A change and its result; `undefined` if the writer has too many or too few resources for it. */
type Make = (writer: Writer, mark: string, random: () => number) => Omit<Attempt, "before"> | undefined;

function nextAttempt(writer: Writer, random: () => number): Attempt {
  for (;;) {
    writer.serial += 1;
    // Every change has a unique mark, so that no two produce the same state.
    const made = oneOf(attempts, random)(writer, `${writer.name}-${writer.serial}`, random);
    if (made) return { ...made, before: writer.resources };
  }
}

const createDevice: Make = ({ resources, name, serial }, mark, random) => {
  if (owned(resources, "device").length >= 12) return undefined;
  const mac = `02:00:0${name.slice(1)}:${(serial + 0x1000000).toString(16).slice(1).match(/../g)!.join(":")}`;
  const body = { name: mark, mac, ips: [`192.0.2.${serial % 250}`], notes: longText(mark, random) };
  const subject = `device ${mark}`;
  const after = changed(resources, subject, { ...blankDevice, ...body });
  return { method: "POST", path: "/devices", action: "create_device", subject, body, after };
};

const updateDevice: Make = ({ resources }, mark, random) => {
  const [subject, device] = pick(resources, "device", random);
  if (!device) return undefined;
  const body = {
    notes: longText(mark, random),
    hostname: mark,
    state: oneOf(["known", "new", "quarantined"], random),
    block_ipv6: oneOf([null, true, false], random),
  };
  const after = changed(resources, subject, { ...device, ...body });
  return { method: "PUT", path: pathOf("/devices", device), action: "update_device", subject, body, after };
};

const createGroup: Make = ({ resources }, mark) => {
  if (owned(resources, "device_group").length >= 2) return undefined;
  const subject = `device_group ${mark}`;
  const body = { name: mark, description: "" };
  const after = changed(resources, subject, body);
  return { method: "POST", path: "/device-groups", action: "create_device_group", subject, body, after };
};

/** One request that changes a group and up to a dozen devices: a partial write would be found. */
const regroup: Make = ({ resources }, mark, random) => {
  const [subject, group] = pick(resources, "device_group", random);
  if (!group) return undefined;
  const members = owned(resources, "device").filter(() => random() < 0.5);
  const body = { description: mark, device_ids: members.map(([, { id }]) => id) };
  const moved = withMembers(resources, group["id"], new Set(body.device_ids));
  const after = changed(moved, subject, { ...group, description: mark });
  return { method: "PUT", path: pathOf("/device-groups", group), action: "update_device_group", subject, body, after };
};

const createClass: Make = ({ resources, serial }, mark) => {
  if (owned(resources, "trust_class").length >= 3) return undefined;
  const subject = `trust_class ${mark}`;
  const body = { name: mark, level: serial % 100 };
  const blank = { description: "", default_privacy_class: null, default_profile: null };
  const after = changed(resources, subject, { ...blank, ...body });
  return { method: "POST", path: "/trust-classes", action: "create_trust_class", subject, body, after };
};

const updateClass: Make = ({ resources }, mark, random) => {
  const [subject, it] = pick(resources, "trust_class", random);
  if (!it) return undefined;
  const body = { description: mark };
  const after = changed(resources, subject, { ...it, ...body });
  return { method: "PUT", path: pathOf("/trust-classes", it), action: "update_trust_class", subject, body, after };
};

/** Several settings in one request are one change; its audit entry names the first. */
const changeSettings: Make = ({ resources, settings }, mark) => {
  const [first] = settings;
  if (first === undefined) return undefined;
  const after = new Map([...resources, ...settings.map((id) => [`setting ${id}`, { id, value: mark }] as const)]);
  const body = Object.fromEntries(settings.map((key) => [key, mark]));
  return { method: "PUT", path: "/settings", action: "update_settings", subject: `setting ${first}`, body, after };
};

const createSecret: Make = ({ resources }, mark) => {
  if (owned(resources, "secret").length >= 2) return undefined;
  const subject = `secret ${mark}`;
  const body = { name: mark, value: `value of ${mark}` };
  const after = changed(resources, subject, { name: mark, description: "", purpose: "stored", version: 1 });
  return { method: "POST", path: "/secrets", action: "create_secret", subject, body, after };
};

const newValue: Make = ({ resources }, mark, random) => {
  const [subject, secret] = pick(resources, "secret", random);
  if (!secret) return undefined;
  const body = { value: `value of ${mark}` };
  const after = changed(resources, subject, {
    ...omit(secret, "updated_at"),
    version: Number(secret["version"]) + 1,
  });
  return { method: "PUT", path: pathOf("/secrets", secret), action: "update_secret", subject, body, after };
};

const describeSecret: Make = ({ resources }, mark, random) => {
  const [subject, secret] = pick(resources, "secret", random);
  if (!secret) return undefined;
  const body = { description: mark };
  const after = changed(resources, subject, { ...secret, ...body });
  return { method: "PUT", path: pathOf("/secrets", secret), action: "update_secret", subject, body, after };
};

const remove =
  (kind: string, path: string): Make =>
  ({ resources }, _mark, random) => {
    const [subject, it] = pick(resources, kind, random);
    if (!it) return undefined;
    const left = kind === "device_group" ? withMembers(resources, it["id"], new Set()) : resources;
    const after = changed(left, subject, undefined);
    return { method: "DELETE", path: pathOf(path, it), action: `delete_${kind}`, subject, after };
  };

const times = (count: number, make: Make): Make[] => Array.from({ length: count }, () => make);

/** Weighted by repetition: mostly devices. */
const attempts: readonly Make[] = [
  ...times(30, createDevice),
  ...times(36, updateDevice),
  ...times(16, remove("device", "/devices")),
  ...times(3, createGroup),
  ...times(8, regroup),
  ...times(1, remove("device_group", "/device-groups")),
  ...times(3, createClass),
  ...times(4, updateClass),
  ...times(2, remove("trust_class", "/trust-classes")),
  ...times(3, changeSettings),
  ...times(1, createSecret),
  ...times(1, newValue),
  ...times(1, describeSecret),
  ...times(1, remove("secret", "/secrets")),
];

const blankDevice = {
  hostname: null,
  vendor: null,
  state: "known",
  trust_class: null,
  privacy_class: null,
  profile_id: null,
  group_ids: [],
  force_dns: null,
  block_doh: null,
  block_ipv6: null,
  block_webrtc: null,
  last_seen: null,
};

function changed(holdings: Resources, subject: string, own: Resource | undefined): Resources {
  const after = new Map(holdings);
  if (own) after.set(subject, own);
  else after.delete(subject);
  return after;
}

function withMembers(holdings: Resources, group: unknown, wanted: ReadonlySet<unknown>): Resources {
  const moved = owned(holdings, "device").map(([subject, device]) => {
    const groups = device["group_ids"] as unknown[];
    if (wanted.has(device["id"]) === groups.includes(group)) return [subject, device] as const;
    const group_ids = wanted.has(device["id"]) ? [...groups, group] : groups.filter((it) => it !== group);
    return [subject, { ...device, group_ids }] as const;
  });
  return new Map([...holdings, ...moved]);
}

const pathOf = (path: string, { id }: Resource): string => `${path}/${id as string}`;

const owned = (holdings: Resources, kind: string) => [...holdings].filter(([key]) => key.startsWith(`${kind} `));

const pick = (holdings: Resources, kind: string, random: () => number): readonly [string, Resource | undefined] =>
  oneOf(owned(holdings, kind), random) ?? ["", undefined];

const oneOf = <T>(items: readonly T[], random: () => number): T => items[Math.floor(random() * items.length)]!;

/** Sometimes longer than a page of the database file. */
const longText = (mark: string, random: () => number): string =>
  `${mark} ${"x".repeat(Math.floor(random() ** 4 * 3900))}`;
