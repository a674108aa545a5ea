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

/** Changes things as fast as answers come, until the daemon gives no more. */
export async function writeUntilDeath(writer: Writer, daemon: TestDaemon, random: () => number): Promise<void> {
  for (;;) {
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
  const told = subject.startsWith("setting ") ? expected : withoutMembers(answer);
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

/** A group's members are told by the devices, so that there is one truth to compare with. */
export const withoutMembers = ({ device_ids: _, ...rest }: Held): Held => rest;

type Make = (writer: Writer, mark: string, random: () => number) => Attempt | undefined;

function nextAttempt(writer: Writer, random: () => number): Attempt {
  for (;;) {
    writer.serial += 1;
    // Every change carries a mark of its own, so that no two leave the same state behind.
    const attempt = oneOf(menu, random)(writer, `${writer.name}-${writer.serial}`, random);
    if (attempt) return attempt;
  }
}

const createDevice: Make = ({ holdings, name, serial }, mark, random) => {
  if (owned(holdings, "device").length >= 12) return undefined;
  const mac = `02:00:0${name.slice(1)}:${(serial + 0x1000000).toString(16).slice(1).match(/../g)!.join(":")}`;
  const body = { name: mark, mac, ips: [`192.0.2.${serial % 250}`], notes: longText(mark, random) };
  const device = { ...blankDevice, ...body };
  return attemptOf(holdings, "POST", "/devices", "create_device", `device ${mark}`, body, device);
};

const updateDevice: Make = ({ holdings }, mark, random) => {
  const [subject, device] = pick(holdings, "device", random);
  if (!device) return undefined;
  const body = { notes: longText(mark, random), hostname: mark, state: oneOf(["known", "new", "quarantined"], random) };
  return attemptOf(holdings, "PUT", `/devices/${device["id"]}`, "update_device", subject, body, { ...device, ...body });
};

const createGroup: Make = ({ holdings }, mark) => {
  if (owned(holdings, "device_group").length >= 2) return undefined;
  const body = { name: mark, description: "" };
  return attemptOf(holdings, "POST", "/device-groups", "create_device_group", `device_group ${mark}`, body, body);
};

/** One request that changes a group and up to a dozen devices: a half of it would show. */
const regroup: Make = ({ holdings }, mark, random) => {
  const [subject, group] = pick(holdings, "device_group", random);
  if (!group) return undefined;
  const members = owned(holdings, "device").filter(() => random() < 0.5);
  const device_ids = members.map(([, { id }]) => id);
  const moved = withMembers(holdings, group["id"], new Set(device_ids));
  const path = `/device-groups/${group["id"]}`;
  const after = { ...group, description: mark };
  const body = { description: mark, device_ids };
  return { ...attemptOf(moved, "PUT", path, "update_device_group", subject, body, after), before: holdings };
};

const createClass: Make = ({ holdings, serial }, mark) => {
  if (owned(holdings, "trust_class").length >= 3) return undefined;
  const body = { name: mark, level: serial % 100 };
  const made = { description: "", default_privacy_class: null, default_profile: null, ...body };
  return attemptOf(holdings, "POST", "/trust-classes", "create_trust_class", `trust_class ${mark}`, body, made);
};

const updateClass: Make = ({ holdings }, mark, random) => {
  const [subject, it] = pick(holdings, "trust_class", random);
  if (!it) return undefined;
  const body = { description: mark };
  return attemptOf(holdings, "PUT", `/trust-classes/${it["id"]}`, "update_trust_class", subject, body, {
    ...it,
    ...body,
  });
};

/** Several settings in one request are one change. */
const changeSettings: Make = ({ holdings, settings }, mark) => {
  const [first] = settings;
  if (first === undefined) return undefined;
  const after = new Map([...holdings, ...settings.map((id) => [`setting ${id}`, { id, value: mark }] as const)]);
  const body = Object.fromEntries(settings.map((key) => [key, mark]));
  const own = { id: first, value: mark };
  return {
    ...attemptOf(after, "PUT", "/settings", "update_settings", `setting ${first}`, body, own),
    before: holdings,
  };
};

const createSecret: Make = ({ holdings }, mark) => {
  if (owned(holdings, "secret").length >= 2) return undefined;
  const body = { name: mark, value: `value of ${mark}`, description: "" };
  const secret = { name: mark, description: "", purpose: "stored", version: 1 };
  return attemptOf(holdings, "POST", "/secrets", "create_secret", `secret ${mark}`, body, secret);
};

const updateSecret: Make = ({ holdings }, mark, random) => {
  const [subject, secret] = pick(holdings, "secret", random);
  if (!secret) return undefined;
  const { updated_at, ...rest } = secret;
  const after =
    random() < 0.5
      ? { body: { value: `value of ${mark}` }, secret: { ...rest, version: (secret["version"] as number) + 1 } }
      : { body: { description: mark }, secret: { ...secret, description: mark } };
  return attemptOf(
    holdings,
    "PUT",
    `/secrets/${secret["id"]}`,
    "update_secret",
    subject,
    after.body,
    after.secret as Held,
  );
};

const remove =
  (kind: string, path: string): Make =>
  ({ holdings }, _mark, random) => {
    const [subject, it] = pick(holdings, kind, random);
    if (!it) return undefined;
    const left = kind === "device_group" ? withMembers(holdings, it["id"], new Set()) : holdings;
    return {
      ...attemptOf(left, "DELETE", `${path}/${it["id"]}`, `delete_${kind}`, subject, undefined, undefined),
      before: holdings,
    };
  };

const times = (count: number, make: Make): Make[] => Array.from({ length: count }, () => make);

/** Mostly devices; whatever is named more often happens more often. */
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
  ...times(2, updateSecret),
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
  last_seen: null,
};

function attemptOf(
  before: Holdings,
  method: Attempt["method"],
  path: string,
  action: string,
  subject: string,
  body: Held | undefined,
  own: Held | undefined,
): Attempt {
  return { method, path, action, subject, before, after: changed(before, subject, own), ...(body && { body }) };
}

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

const owned = (holdings: Holdings, kind: string) => [...holdings].filter(([key]) => key.startsWith(`${kind} `));

const pick = (holdings: Holdings, kind: string, random: () => number): readonly [string, Held | undefined] =>
  oneOf(owned(holdings, kind), random) ?? ["", undefined];

const oneOf = <T>(items: readonly T[], random: () => number): T => items[Math.floor(random() * items.length)]!;

/** Now and then longer than a page of the database file. */
const longText = (mark: string, random: () => number): string =>
  `${mark} ${"x".repeat(Math.floor(random() ** 4 * 3900))}`;
