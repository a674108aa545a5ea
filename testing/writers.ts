import { isDeepStrictEqual } from "node:util";
import type { TestDaemon } from "./daemon.ts";

/** A resource as the API shows it. What the gateway itself assigns is absent until it was seen. */
export type Held = Readonly<Record<string, unknown>>;
/** "device w0-17" → the resource. */
export type Holdings = ReadonlyMap<string, Held>;

/** One change on its way, and what is true once it has happened. */
export interface Attempt {
  readonly method: "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly body?: Held;
  /** What the audit log calls it. */
  readonly action: string;
  /** Whose change it is: a key of the holdings before it, after it, or both. */
  readonly subject: string;
  readonly before: Holdings;
  readonly after: Holdings;
}

/** One of several who change the gateway at once, each what is theirs alone, and remember what they were promised. */
export interface Writer {
  readonly name: string;
  /** Settings nobody else touches. */
  readonly settings: readonly string[];
  /** As last acknowledged. */
  holdings: Holdings;
  /** Acknowledged since the last reckoning, with the id each was acknowledged under. */
  acknowledged: { readonly attempt: Attempt; readonly id: string }[];
  /** Sent, and not answered: it may have happened or not, but not by halves. */
  inFlight: Attempt | undefined;
  /** Secret → its last value; the API would never tell. */
  readonly values: Map<string, string>;
  serial: number;
}

export const createWriter = (name: string, settings: readonly string[]): Writer => ({
  name,
  settings,
  holdings: new Map(settings.map((key) => [`setting ${key}`, { id: key, value: null }])),
  acknowledged: [],
  inFlight: undefined,
  values: new Map(),
  serial: 0,
});

/** Changes things as fast as answers come, until it is enough or the daemon gives no more. */
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
    acknowledge(writer, attempt, reply.json() as Held);
  }
}

function acknowledge(writer: Writer, attempt: Attempt, answer: Held): void {
  const { subject, after } = attempt;
  const expected = after.get(subject);
  // A group's members are told by the devices, so that there is one truth to compare with.
  const told = subject.startsWith("setting ") ? expected : without(answer, "device_ids");
  if (expected && !agrees(expected, told!))
    throw new Error(`${subject} should be ${JSON.stringify(expected)} and the answer is ${JSON.stringify(answer)}`);
  const id = (expected ? told! : attempt.before.get(subject)!)["id"] as string;
  writer.holdings = expected ? changed(after, subject, told) : after;
  writer.acknowledged.push({ attempt, id });
  writer.inFlight = undefined;
  rememberValue(writer, attempt);
}

/** Once an attempt is known to have happened, its value is the secret's. */
export function rememberValue({ values }: Writer, { subject, body }: Attempt): void {
  if (subject.startsWith("secret ") && body?.["value"] !== undefined) values.set(subject, body["value"] as string);
}

/** Whether a resource is the expected one. Only what the gateway assigns may be unknown. */
export function agrees(expected: Held, actual: Held): boolean {
  const assigned = ["id", "first_seen", "created_at", "updated_at"].filter((field) => field in actual);
  const filled = { ...Object.fromEntries(assigned.map((field) => [field, actual[field]])), ...expected };
  return isDeepStrictEqual(filled, actual);
}

/** The resource less what is better told elsewhere. */
export const without = (resource: Held, ...fields: readonly string[]): Held =>
  Object.fromEntries(Object.entries(resource).filter(([field]) => !fields.includes(field)));

/** What to send, and what is then true; nothing when the writer holds too much or too little for it. */
type Make = (writer: Writer, mark: string, random: () => number) => Omit<Attempt, "before"> | undefined;

function nextAttempt(writer: Writer, random: () => number): Attempt {
  for (;;) {
    writer.serial += 1;
    // Every change carries a mark of its own, so that no two leave the same state behind.
    const made = oneOf(menu, random)(writer, `${writer.name}-${writer.serial}`, random);
    if (made) return { ...made, before: writer.holdings };
  }
}

const createDevice: Make = ({ holdings, name, serial }, mark, random) => {
  if (owned(holdings, "device").length >= 12) return undefined;
  const mac = `02:00:0${name.slice(1)}:${(serial + 0x1000000).toString(16).slice(1).match(/../g)!.join(":")}`;
  const body = { name: mark, mac, ips: [`192.0.2.${serial % 250}`], notes: longText(mark, random) };
  const subject = `device ${mark}`;
  const after = changed(holdings, subject, { ...blankDevice, ...body });
  return { method: "POST", path: "/devices", action: "create_device", subject, body, after };
};

const updateDevice: Make = ({ holdings }, mark, random) => {
  const [subject, device] = pick(holdings, "device", random);
  if (!device) return undefined;
  const body = {
    notes: longText(mark, random),
    hostname: mark,
    state: oneOf(["known", "new", "quarantined"], random),
    block_ipv6: oneOf([null, true, false], random),
  };
  const after = changed(holdings, subject, { ...device, ...body });
  return { method: "PUT", path: pathOf("/devices", device), action: "update_device", subject, body, after };
};

const createGroup: Make = ({ holdings }, mark) => {
  if (owned(holdings, "device_group").length >= 2) return undefined;
  const subject = `device_group ${mark}`;
  const body = { name: mark, description: "" };
  const after = changed(holdings, subject, body);
  return { method: "POST", path: "/device-groups", action: "create_device_group", subject, body, after };
};

/** One request that changes a group and up to a dozen devices: a half of it would show. */
const regroup: Make = ({ holdings }, mark, random) => {
  const [subject, group] = pick(holdings, "device_group", random);
  if (!group) return undefined;
  const members = owned(holdings, "device").filter(() => random() < 0.5);
  const body = { description: mark, device_ids: members.map(([, { id }]) => id) };
  const moved = withMembers(holdings, group["id"], new Set(body.device_ids));
  const after = changed(moved, subject, { ...group, description: mark });
  return { method: "PUT", path: pathOf("/device-groups", group), action: "update_device_group", subject, body, after };
};

const createClass: Make = ({ holdings, serial }, mark) => {
  if (owned(holdings, "trust_class").length >= 3) return undefined;
  const subject = `trust_class ${mark}`;
  const body = { name: mark, level: serial % 100 };
  const blank = { description: "", default_privacy_class: null, default_profile: null };
  const after = changed(holdings, subject, { ...blank, ...body });
  return { method: "POST", path: "/trust-classes", action: "create_trust_class", subject, body, after };
};

const updateClass: Make = ({ holdings }, mark, random) => {
  const [subject, it] = pick(holdings, "trust_class", random);
  if (!it) return undefined;
  const body = { description: mark };
  const after = changed(holdings, subject, { ...it, ...body });
  return { method: "PUT", path: pathOf("/trust-classes", it), action: "update_trust_class", subject, body, after };
};

/** Several settings in one request are one change; the audit log names the first. */
const changeSettings: Make = ({ holdings, settings }, mark) => {
  const [first] = settings;
  if (first === undefined) return undefined;
  const after = new Map([...holdings, ...settings.map((id) => [`setting ${id}`, { id, value: mark }] as const)]);
  const body = Object.fromEntries(settings.map((key) => [key, mark]));
  return { method: "PUT", path: "/settings", action: "update_settings", subject: `setting ${first}`, body, after };
};

const createSecret: Make = ({ holdings }, mark) => {
  if (owned(holdings, "secret").length >= 2) return undefined;
  const subject = `secret ${mark}`;
  const body = { name: mark, value: `value of ${mark}` };
  const after = changed(holdings, subject, { name: mark, description: "", purpose: "stored", version: 1 });
  return { method: "POST", path: "/secrets", action: "create_secret", subject, body, after };
};

const newValue: Make = ({ holdings }, mark, random) => {
  const [subject, secret] = pick(holdings, "secret", random);
  if (!secret) return undefined;
  const body = { value: `value of ${mark}` };
  const after = changed(holdings, subject, {
    ...without(secret, "updated_at"),
    version: Number(secret["version"]) + 1,
  });
  return { method: "PUT", path: pathOf("/secrets", secret), action: "update_secret", subject, body, after };
};

const describeSecret: Make = ({ holdings }, mark, random) => {
  const [subject, secret] = pick(holdings, "secret", random);
  if (!secret) return undefined;
  const body = { description: mark };
  const after = changed(holdings, subject, { ...secret, ...body });
  return { method: "PUT", path: pathOf("/secrets", secret), action: "update_secret", subject, body, after };
};

const remove =
  (kind: string, path: string): Make =>
  ({ holdings }, _mark, random) => {
    const [subject, it] = pick(holdings, kind, random);
    if (!it) return undefined;
    const left = kind === "device_group" ? withMembers(holdings, it["id"], new Set()) : holdings;
    const after = changed(left, subject, undefined);
    return { method: "DELETE", path: pathOf(path, it), action: `delete_${kind}`, subject, after };
  };

const times = (count: number, make: Make): Make[] => Array.from({ length: count }, () => make);

/** Mostly devices; what stands here more often happens more often. */
const menu: readonly Make[] = [
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

function changed(holdings: Holdings, subject: string, own: Held | undefined): Holdings {
  const after = new Map(holdings);
  if (own) after.set(subject, own);
  else after.delete(subject);
  return after;
}

function withMembers(holdings: Holdings, group: unknown, wanted: ReadonlySet<unknown>): Holdings {
  const moved = owned(holdings, "device").map(([subject, device]) => {
    const groups = device["group_ids"] as unknown[];
    if (wanted.has(device["id"]) === groups.includes(group)) return [subject, device] as const;
    const group_ids = wanted.has(device["id"]) ? [...groups, group] : groups.filter((it) => it !== group);
    return [subject, { ...device, group_ids }] as const;
  });
  return new Map([...holdings, ...moved]);
}

const pathOf = (path: string, { id }: Held): string => `${path}/${id as string}`;

const owned = (holdings: Holdings, kind: string) => [...holdings].filter(([key]) => key.startsWith(`${kind} `));

const pick = (holdings: Holdings, kind: string, random: () => number): readonly [string, Held | undefined] =>
  oneOf(owned(holdings, kind), random) ?? ["", undefined];

const oneOf = <T>(items: readonly T[], random: () => number): T => items[Math.floor(random() * items.length)]!;

/** Now and then longer than a page of the database file. */
const longText = (mark: string, random: () => number): string =>
  `${mark} ${"x".repeat(Math.floor(random() ** 4 * 3900))}`;
