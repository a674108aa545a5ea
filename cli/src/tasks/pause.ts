import type { ResultOf } from "@portcullis/contract/endpoint";
import { Problem } from "@portcullis/contract/problem";
import type { Pause, pauses } from "@portcullis/contract/subsystems/pauses";
import { bad, good, type Rich, rich, sentence, strong, warn } from "../screen/rich.ts";
import type { Reading } from "../screen/values.ts";
import { audienceOf, command, forOption } from "./lookups.ts";
import { argumentsOf, type Given, type Task, type TaskWorld } from "./task.ts";
import { minutesOf, untilWords } from "./times.ts";

const protectionOption = {
  name: "--protection",
  meaning: "Protection instead of DNS filtering: packets leave directly, in the clear",
} as const;

export const pause: Task = {
  words: ["pause"],
  synopsis: "<duration> [--for <device or group>] [options]",
  summary: "Pause DNS filtering, or protection, for some minutes",
  description: "It takes effect at once and ends by itself. A duration is 10m, 2h or 1h30m, at most 24h.",
  options: [
    forOption,
    protectionOption,
    { name: "--reason", value: "text", meaning: "Reason, for the audit log and the list of pauses" },
  ],
  examples: [
    "portcullis pause 10m",
    'portcullis pause 30m --for "Kitchen TV"',
    "portcullis pause 5m --for Laptop --protection",
  ],
  claims: ([first, ...more]) =>
    /^\d/.test(first ?? "") || [first, ...more].some((it) => /^--(?:for|protection)(?:=|$)/.test(it ?? "")),
  run: async (given, { client }) => {
    const [typed = ""] = argumentsOf(given, ["duration"]);
    const duration_min = minutesOf(typed, given.usage);
    const { source_type, source_value, name } = await audienceOf(given, client);
    const started = await client.pauses.create({
      body: {
        type: given.has("--protection") ? "protection" : "filtering",
        source_type,
        source_value,
        duration_min,
        reason: given.option("--reason")[0] ?? "",
      },
    });
    return { value: started, lines: (reading) => startedLines(started, name, reading) };
  },
};

type Started = ResultOf<typeof pauses.create>;

function startedLines(started: Started, name: string, reading: Reading): Rich[] {
  const { type, enforced, unpaused, unpaused_total, expires_at } = started;
  const what = type === "protection" ? "Protection" : "DNS filtering";
  const resume = ["resume", ...(name === "everyone" ? [] : ["--for", name])];
  return [
    ...(enforced ? [] : [notEnforced]),
    sentence`${what} is ${warn("paused")} for ${strong(name)} ${untilWords(expires_at, reading)}.`,
    ...(type === "protection" ? [sentence`Until then packets leave ${bad("directly, in the clear")}.`] : []),
    ...unpaused.map((it) => sentence`Not paused: ${it.name} (${obstacles[it.obstacle]})`),
    ...(unpaused_total > unpaused.length ? [sentence`and ${unpaused_total - unpaused.length} more devices`] : []),
    rich("To end it before:"),
    command(...resume),
  ];
}

const notEnforced: Rich = sentence`${bad("Not in force:")} the dataplane is off, or an engine failed; portcullis observer shows which.`;

const obstacles = {
  require_tunnel: "its privacy class permits no direct packet",
  quarantined: "it is quarantined",
  no_address: "it has neither MAC address nor IP address",
} as const;

export const resume: Task = {
  words: ["resume"],
  synopsis: "[--for <device or group>] [--protection]",
  summary: "End pauses of DNS filtering and protection now",
  description:
    "Without options it ends all of them. Domains that are allowed or blocked for some minutes stay: portcullis pause end ends one.",
  options: [forOption, { name: "--protection", meaning: "Only pauses of protection" }],
  examples: ["portcullis resume", 'portcullis resume --for "Kitchen TV"'],
  run: async (given, { client }) => {
    argumentsOf(given, []);
    const audience = given.has("--for") ? await audienceOf(given, client) : undefined;
    const active = await client.pauses.active();
    const wanted = active.filter(
      (it) =>
        (it.type === "protection" || (it.type === "filtering" && !given.has("--protection"))) &&
        (audience === undefined ||
          (it.source_type === audience.source_type && it.source_value === audience.source_value)),
    );
    const results: Ended[] = [];
    for (const { id } of wanted) {
      const result = await endOf(client, id);
      if (result !== undefined) results.push(result);
    }
    const ended = wanted.filter(({ id }) => results.some((it) => it.id === id));
    const left = active.filter((it) => !wanted.includes(it));
    return { value: { ended: results, still_active: left }, lines: () => endedLines(ended, results, left, given) };
  },
};

type Ended = ResultOf<typeof pauses.remove>;

/** Undefined for a pause that has ended by itself meanwhile. */
const endOf = (client: TaskWorld["client"], id: string): Promise<Ended | undefined> =>
  client.pauses.remove({ params: { id } }).catch((error: unknown) => {
    if (error instanceof Problem && error.code === "not_found") return undefined;
    throw error;
  });

function endedLines(
  ended: readonly Pause[],
  results: readonly Ended[],
  left: readonly Pause[],
  { has }: Given,
): Rich[] {
  const isNarrow = has("--for") || has("--protection");
  return [
    ...(results.every(({ enforced }) => enforced) ? [] : [notEnforced]),
    ...(ended.length === 0
      ? [rich(isNarrow || left.length > 0 ? "No such pause is active." : "Nothing is paused.")]
      : []),
    ...ended.map((it) => sentence`${good("Ended:")} the pause of ${whatOf(it)} for ${strong(nameOf(it))}.`),
    ...left.map((it) => sentence`Still active: ${describe(it)} for ${nameOf(it)}.`),
  ];
}

const nameOf = ({ source_type, source_name }: Pause): string =>
  source_type === "everyone" ? "everyone" : source_name || "a deleted source";
const whatOf = ({ type }: Pause): string => (type === "protection" ? "protection" : "DNS filtering");
const describe = ({ type, domain }: Pause): string => (domain === null ? `the pause of ${type}` : `${type} ${domain}`);
