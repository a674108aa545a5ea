import { nearest } from "@portcullis/contract/nearest";
import { Misuse } from "../failure.ts";

/** The options of `portcullis setup`: the answers to its prompts. Those that are absent are prompted for in a terminal. */
export interface SetupOptions {
  readonly wan?: string;
  readonly lan?: string;
  readonly lanAddress?: string;
  readonly dhcp?: boolean;
  readonly unknown?: "direct" | "block";
  readonly uplinkPorts?: readonly number[];
  readonly webOnLan?: boolean;
  /** No prompts: what is absent is taken from the gateway's suggestion. */
  readonly yes?: boolean;
  /** Return when the rules are in force, without waiting for the confirmation. */
  readonly noWait?: boolean;
  readonly show?: boolean;
  readonly cancel?: boolean;
}

/** Option and meaning, for the help. */
export const setupOptions = [
  ["--wan NAME", "interface towards the Internet"],
  ["--lan NAME", "interface towards the devices"],
  ["--lan-address ADDRESS/LENGTH", "the gateway's address on the LAN, such as 192.168.50.1/24"],
  ["--dhcp yes|no", "whether the gateway leases addresses on the LAN"],
  ["--unknown direct|block", "egress of devices that no policy matches"],
  ["--uplink-ports PORTS", "TCP ports of the gateway that stay reachable from the Internet, such as 22,443"],
  ["--web lan|local", "whether the web interface is reached from the LAN, or from this machine only"],
  ["--yes", "no prompts; --wan and --lan must be given where there is no terminal"],
  ["--no-wait", "do not wait for the confirmation"],
  ["--show", "what is set up, and what is missing"],
  ["--cancel", "undo a setup that was not confirmed"],
] as const;

const usage = "portcullis setup [options]; portcullis help setup lists them";
const names = setupOptions.map(([option]) => option.split(" ")[0]!);
const flags: readonly string[] = setupOptions.map(([option]) => option).filter((it) => !it.includes(" "));

export function parseSetupOptions(words: readonly string[]): SetupOptions {
  const given = new Map<string, string>();
  const left = words.values();
  for (const word of left) {
    const [, name = word, assigned] = /^(--[a-z-]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (!names.includes(name)) throw unknownOption(name);
    if (given.has(name)) throw new Misuse(`${name} is given twice`, usage);
    const value = flags.includes(name) ? (assigned ?? "") : (assigned ?? left.next().value);
    if (value === undefined) throw new Misuse(`${name} has no value`, usage);
    if (flags.includes(name) && value !== "") throw new Misuse(`${name} takes no value`, usage);
    given.set(name, value);
  }
  const text = (name: string) => given.get(name);
  const wan = text("--wan");
  const lan = text("--lan");
  const lanAddress = text("--lan-address");
  const dhcp = oneOf(given, "--dhcp", ["yes", "no"]);
  const unknown = oneOf(given, "--unknown", ["direct", "block"]);
  const web = oneOf(given, "--web", ["lan", "local"]);
  const ports = text("--uplink-ports");
  return {
    ...(wan !== undefined && { wan }),
    ...(lan !== undefined && { lan }),
    ...(lanAddress !== undefined && { lanAddress }),
    ...(dhcp !== undefined && { dhcp: dhcp === "yes" }),
    ...(unknown !== undefined && { unknown }),
    ...(ports !== undefined && { uplinkPorts: portsIn(ports) }),
    ...(web !== undefined && { webOnLan: web === "lan" }),
    ...(given.has("--yes") && { yes: true }),
    ...(given.has("--no-wait") && { noWait: true }),
    ...(given.has("--show") && { show: true }),
    ...(given.has("--cancel") && { cancel: true }),
  };
}

function unknownOption(name: string): Misuse {
  const meant = nearest(name, names);
  const message = name.startsWith("-") ? `${name} is not an option of this command` : `Unexpected argument "${name}"`;
  return meant === undefined
    ? new Misuse(message, `Options: ${names.join(", ")}`)
    : new Misuse(`${message}; did you mean ${meant}?`, usage);
}

function oneOf<const W extends readonly string[]>(
  given: ReadonlyMap<string, string>,
  name: string,
  words: W,
): W[number] | undefined {
  const value = given.get(name);
  if (value === undefined || words.includes(value)) return value;
  throw new Misuse(`${name} must be ${words.join(" or ")}, not ${JSON.stringify(value)}`, usage);
}

function portsIn(text: string): number[] {
  const ports = text === "" ? [] : text.split(",").map((it) => (/^\d{1,5}$/.test(it) ? Number(it) : 0));
  if (ports.every((port) => port >= 1 && port <= 65_535)) return ports;
  throw new Misuse(`--uplink-ports must be ports such as 22,443, not ${JSON.stringify(text)}`, usage);
}
