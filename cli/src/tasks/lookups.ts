import { Problem } from "@portcullis/contract/problem";
import type { Device } from "@portcullis/contract/subsystems/devices";
import type { Status } from "@portcullis/contract/subsystems/status";
import { Misuse } from "../failure.ts";
import { type Rich, sentence, strong } from "../screen/rich.ts";
import type { Given, TaskOption, TaskWorld } from "./task.ts";

type Client = TaskWorld["client"];

export const deviceNamed = (client: Client, word: string): Promise<Device> =>
  client.devices.get({ params: { id: stepOf(word, "device") } });

/** Dots alone would change the path of the URL. */
export function stepOf(word: string, what: string): string {
  if (/^\.{0,2}$/.test(word)) throw new Misuse(`<${what}> cannot be ${JSON.stringify(word)}`);
  return word;
}

/** Whom a task concerns. */
export type Audience =
  | { readonly source_type: "everyone"; readonly source_value: ""; readonly name: "everyone" }
  | { readonly source_type: "device" | "device_group"; readonly source_value: string; readonly name: string };

export const forOption: TaskOption = {
  name: "--for",
  value: "device or group",
  meaning: "For one device or one device group, by name or id. Default: for everyone",
};

/** The device or the group of `--for`. A name that both have is refused. */
export async function audienceOf({ option, usage }: Given, client: Client): Promise<Audience> {
  const [word] = option("--for");
  if (word === undefined) return { source_type: "everyone", source_value: "", name: "everyone" };
  const [device, group] = await Promise.all([
    found(deviceNamed(client, word)),
    found(client.deviceGroups.get({ params: { id: stepOf(word, "device or group") } })),
  ]);
  const isBoth = !(device instanceof Problem) && !(group instanceof Problem);
  if (isBoth) throw new Misuse(`A device and a group have the name ${JSON.stringify(word)}; give the id`, usage);
  if (!(device instanceof Problem)) return { source_type: "device", source_value: device.id, name: device.name };
  if (!(group instanceof Problem)) return { source_type: "device_group", source_value: group.id, name: group.name };
  throw device;
}

const found = <T>(answer: Promise<T>): Promise<T | Problem> =>
  answer.catch((error: unknown) => {
    if (error instanceof Problem && error.code === "not_found") return error;
    throw error;
  });

/** Why the policies of the gateway are not in force; undefined if they are. */
export function notInForce({
  dataplane_enabled,
  not_enforced,
  revision,
  applied_revision,
  ready,
}: Status): string | undefined {
  if (!dataplane_enabled) return "the dataplane is off, so this gateway neither routes nor blocks anything";
  if (not_enforced !== null) return not_enforced;
  if (applied_revision < revision)
    return `revision ${applied_revision} is in force, and revision ${revision} is not yet`;
  return ready ? undefined : "an engine failed; portcullis observer shows which";
}

/** A command to type, on a line of its own so that it can be copied. */
export const command = (...words: readonly string[]): Rich =>
  sentence`  ${strong(`portcullis ${words.map(quoted).join(" ")}`)}`;

/** A word as a shell needs it. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
