import { everyPage } from "@portcullis/contract/client";
import { Problem } from "@portcullis/contract/problem";
import { bad, good, type Rich, rich, sentence, strong, warn } from "../screen/rich.ts";
import { pairs } from "../screen/sheet.ts";
import type { Reading } from "../screen/values.ts";
import { type Audience, audienceOf, command, forOption } from "./lookups.ts";
import { argumentsOf, type Given, type Task, type TaskResult, type TaskWorld } from "./task.ts";
import { minutesOf, untilWords } from "./times.ts";

type Client = TaskWorld["client"];
type Effect = "block" | "allow";

const opposite = { block: "allow", allow: "block" } as const;
const nouns = { block: "the block list", allow: "the allow list" } as const;

const synopsis = "<domain> [duration] [--for <device or group>]";
const about =
  "It includes the names below the domain. With a duration, such as 45m, it ends by itself; otherwise it stays until you change it.";

export const unblock: Task = {
  words: ["unblock"],
  synopsis,
  summary: "Stop DNS filtering from blocking a domain",
  description: `Removes the domain from the block list of the same clients, and adds it to their allow list if something else blocks it. ${about}`,
  options: [forOption],
  examples: ['portcullis unblock shop.example --for "Kitchen TV"', "portcullis unblock shop.example 30m"],
  run: (given, world) => change("allow", given, world),
};

export const block: Task = {
  words: ["block"],
  synopsis,
  summary: "Block a domain by DNS filtering",
  description: `Adds the domain to the block list, and removes it from the allow list of the same clients. ${about}`,
  options: [forOption],
  examples: ["portcullis block games.example --for Laptop", "portcullis block video.example 45m --for Laptop"],
  run: (given, world) => change("block", given, world),
};

async function change(effect: Effect, given: Given, { client }: TaskWorld): Promise<TaskResult> {
  const [domain = "", typed] = argumentsOf(given, ["domain", "duration"], 1);
  const minutes = typed === undefined ? undefined : minutesOf(typed, given.usage);
  const audience = await audienceOf(given, client);
  return minutes === undefined
    ? changeLists(client, effect, domain, audience)
    : startPause(client, effect, domain, minutes, audience);
}

async function startPause(
  client: Client,
  effect: Effect,
  domain: string,
  duration_min: number,
  { source_type, source_value, name }: Audience,
): Promise<TaskResult> {
  const type = effect === "block" ? "block-domain" : "allow-domain";
  const started = await client.pauses.create({ body: { type, source_type, source_value, duration_min, domain } });
  return {
    value: started,
    lines: (reading: Reading) => [
      ...(started.enforced ? [] : [resolverOff]),
      sentence`${strong(domain)} is ${effect === "block" ? bad("blocked") : good("not blocked")} for ${strong(name)} ${untilWords(started.expires_at, reading)}.`,
      rich("To end it before:"),
      command("pause", "end", started.id),
    ],
  };
}

/** Permanent entries: those of the opposite list go, and an own one is added if it is needed. */
async function changeLists(client: Client, effect: Effect, domain: string, audience: Audience): Promise<TaskResult> {
  const isOn = (await client.dns.status()).status !== "off";
  const removed = await removeEntries(client, opposite[effect], domain, audience);
  const before = await verdictOf(client, domain, audience);
  const isNeeded = effect === "block" || before === undefined || before.verdict === "block" || !isOn;
  const added =
    isNeeded && !(removed > 0 && effect === "allow" && before?.verdict !== "block")
      ? await addEntry(client, effect, domain, audience)
      : false;
  const verdict = await verdictOf(client, domain, audience);
  const steps = [
    ...(removed > 0 ? [`removed from ${nouns[opposite[effect]]}`] : []),
    ...(added ? [`added to ${nouns[effect]}`] : []),
  ];
  return {
    value: {
      domain,
      source_type: audience.source_type,
      source_name: audience.name,
      removed,
      added,
      in_force: isOn,
      verdict: verdict ?? null,
    },
    lines: () => [
      ...(isOn ? [] : [resolverOff]),
      sentence`${strong(domain)} for ${strong(audience.name)}: ${steps.length > 0 ? steps.join(", ") : "nothing to change"}.`,
      ...(isOn ? verdictLines(effect, domain, audience, verdict) : []),
    ],
  };
}

const resolverOff: Rich = sentence`${bad("Not in force:")} the resolver does not run; portcullis dns shows why.`;

const lists = (client: Client, effect: Effect): Client["dnsBlocklist"] | Client["dnsAllowlist"] =>
  effect === "block" ? client.dnsBlocklist : client.dnsAllowlist;

async function removeEntries(
  client: Client,
  effect: Effect,
  domain: string,
  { source_type, source_value }: Audience,
): Promise<number> {
  const list = lists(client, effect);
  const wanted = domain.toLowerCase().replace(/\.$/, "");
  const entries = await everyPage((cursor) =>
    list.list({ query: { domain: wanted, source_type, ...(cursor !== undefined && { cursor }) } }),
  );
  const own = entries.filter((it) => it.domain === wanted && it.source_value === source_value);
  for (const { id } of own) await list.remove({ params: { id } });
  return own.length;
}

/** Whether an entry was added; false: there was one. */
async function addEntry(
  client: Client,
  effect: Effect,
  domain: string,
  { source_type, source_value }: Audience,
): Promise<boolean> {
  try {
    await lists(client, effect).create({ body: { domain, source_type, source_value } });
    return true;
  } catch (failure) {
    if (failure instanceof Problem && failure.code === "conflict") return false;
    throw failure;
  }
}

type Verdict = Pick<Awaited<ReturnType<Client["dns"]["test"]>>, "verdict" | "by" | "trace">;

/** What a query would get; undefined for a group, whose devices may differ, and for a device without a known address. */
const verdictOf = async (
  client: Client,
  name: string,
  { source_type, source_value }: Audience,
): Promise<Verdict | undefined> => {
  if (source_type === "device_group") return undefined;
  try {
    return await client.dns.test({ body: { name, ...(source_type === "device" && { device_id: source_value }) } });
  } catch (failure) {
    if (failure instanceof Problem && failure.code === "invalid_request") return undefined;
    throw failure;
  }
};

function verdictLines(
  effect: Effect,
  domain: string,
  { name, source_type }: Audience,
  verdict: Verdict | undefined,
): Rich[] {
  if (verdict === undefined)
    return source_type === "device"
      ? [sentence`${warn("Not tested:")} no address of ${name} is known, so what it gets now cannot be evaluated.`]
      : [sentence`Devices with rules of their own may differ: portcullis why <device> ${domain}`];
  const isBlocked = verdict.verdict === "block";
  const by = verdict.by === null ? "" : ` by ${verdict.by.name}`;
  const state = isBlocked ? sentence`${bad("blocked")}${by}` : sentence`${good("not blocked")}`;
  const who = name === "everyone" ? "a device without rules of its own" : name;
  const isAsWanted = isBlocked === (effect === "block");
  return [
    sentence`Now it is ${state} for ${who}.${isAsWanted ? "" : warn(" A more specific rule decides.")}`,
    ...(isAsWanted ? [] : pairs(verdict.trace.map((it) => ["", rich(it)]))),
  ];
}
