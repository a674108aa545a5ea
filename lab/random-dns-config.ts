import type { ClientResources } from "../daemon/src/compiler/dns/filter-policy.ts";
import type { DnsResources } from "../daemon/src/compiler/input/read-dns.ts";
import type { Listed } from "../daemon/src/engines/dnsdist/filter-policy.model.ts";
import { type RandomChoices, randomPattern } from "../testing/random-filter-policies.ts";
import type { LabDaemon } from "./daemon.ts";
import type { Host } from "./namespaces.ts";
import { linux } from "../daemon/src/system/system.ts";

/** Few words, so that rules, lists and queries often match. */
const words = ["a", "b", "ads", "cdn", "t1", "shop", "x-y"];

/** Below `fresh.lab`, where every name has the same addresses. */
export const randomFresh = ({ among, below }: RandomChoices): string =>
  [...Array.from({ length: 1 + below(3) }, () => among(words)), "fresh.lab"].join(".");

/** Aliases that lead to names of `fresh.lab`, directly or through others. */
export function randomAliases(dice: RandomChoices): Readonly<Record<string, string>> {
  const { among, below } = dice;
  const made: Record<string, string> = {};
  for (let index = 0; index < 60; index += 1) {
    const known = Object.keys(made);
    const name = `n${index}.${among(words)}.alias.lab`;
    made[name] = known.length > 0 && below(3) === 0 ? among(known) : randomFresh(dice);
  }
  return made;
}

/** Addresses of clients on the LAN, of known and of unknown devices. */
export const clientAddresses: readonly string[] = Array.from({ length: 24 }, (_, index) => 100 + 4 * index).flatMap(
  (last) => [`10.0.0.${last}`, `fd00::${last.toString(16)}`],
);

const networks = ["10.0.0.0/24", "10.0.0.96/27", "10.0.0.104/29", "10.0.0.128/25", "10.0.0.148/32"].concat([
  "fd00::/64",
  "fd00::60/123",
  "fd00::80/121",
  "fd00::94/128",
]);

type Api = Pick<LabDaemon, "request" | "ok">;
interface Made {
  readonly id: string;
}

/** Groups, classes and devices that own most of the clients' addresses. */
export async function createDevices({ ok }: Api, { among, below }: RandomChoices): Promise<void> {
  const make = async (path: string, body: object) => ((await ok("POST", path, body)) as Made).id;
  const groups: string[] = [];
  for (const name of ["children", "adults", "gadgets"]) groups.push(await make("/device-groups", { name }));
  const classes: string[] = [];
  for (const [name, log_level] of [
    ["open", "full"],
    ["quiet", "counts"],
    ["silent", "none"],
  ] as const)
    classes.push(await make("/privacy-classes", { name: `names ${name}`, log_level }));
  const trust = await make("/trust-classes", { name: "names guests", default_privacy_class: classes[1] });
  for (let index = 0; index < 16; index += 1)
    await make("/devices", {
      name: `client${index}`,
      ips: clientAddresses.slice(2 * index, 2 * index + 1 + below(2)),
      group_ids: groups.filter(() => below(3) === 0),
      privacy_class: among([null, ...classes]),
      trust_class: among([null, trust]),
    });
}

const kinds = {
  dns_filter_rule: "/dns/filter-rules",
  dns_allow_entry: "/dns/allowlist",
  dns_block_entry: "/dns/blocklist",
  dns_rewrite: "/dns/rewrites",
  dns_list: "/dns/presets",
} as const;
const family = {
  device: "/devices",
  device_group: "/device-groups",
  privacy_class: "/privacy-classes",
  trust_class: "/trust-classes",
} as const;

/** The configuration of names and of clients, as the API returns it. */
export async function readDocument({ ok }: Api): Promise<DnsResources & ClientResources> {
  const parts: [string, unknown][] = [];
  for (const [kind, path] of Object.entries({ ...kinds, ...family }))
    parts.push([kind, await ok("GET", `${path}?limit=1000`)]);
  return Object.fromEntries(parts) as unknown as DnsResources & ClientResources;
}

/** Contents of lists by id, as parsed entries. */
export type Contents = Map<string, readonly ListEntry[]>;
export interface ListEntry {
  readonly name: string;
  readonly scope: "exact" | "below" | "both";
  readonly isException: boolean;
}

/** Deletes about half of the configuration of names, and adds about as much. */
export async function replaceHalf(api: Api, gateway: Host, dice: RandomChoices, contents: Contents): Promise<void> {
  const document = await readDocument(api);
  for (const [kind, path] of Object.entries(kinds))
    for (const { id } of document[kind as keyof typeof kinds] ?? [])
      if (dice.below(2) === 0) {
        await api.ok("DELETE", `${path}/${id}`);
        contents.delete(id);
      }
  const create = async (times: number, path: string, body: () => object): Promise<void> => {
    for (let left = times; left > 0; left -= 1) {
      // What contradicts an existing entry is refused; that is no failure.
      const { status } = await api.request("POST", path, { ...body(), ...randomSource(document, dice) });
      if (status >= 300 && status !== 409) throw new Error(`${path}: ${status}`);
    }
  };
  await create(20, kinds.dns_filter_rule, () => randomRule(dice));
  await create(10, kinds.dns_allow_entry, () => ({ domain: randomSubject(dice) }));
  await create(12, kinds.dns_block_entry, () => ({ domain: randomSubject(dice) }));
  await create(14, kinds.dns_rewrite, () => randomRewrite(dice));
  for (let left = dice.below(4) + (contents.size < 4 ? 2 : 0); left > 0; left -= 1) {
    const { format, action, entries } = randomList(dice);
    const body = { name: `list ${dice.below(1e9)}`, format, action, ...randomSource(document, dice) };
    const { id } = (await api.ok("POST", kinds.dns_list, body)) as Made;
    await upload(gateway, id, textOf(format, entries));
    contents.set(id, entries);
  }
}

export async function upload(gateway: Host, id: string, text: string): Promise<void> {
  const flags = ["--silent", "--fail-with-body", "--header", "Content-Type: text/plain", "--request", "PUT"];
  const url = `http://127.0.0.1:8080/api/v1${kinds.dns_list}/${id}/content`;
  await linux.inMemory(text, (file) => gateway.run("curl", ...flags, "--data-binary", `@${file}`, url));
}

/** What lists say of names, from their entries alone. */
export function listedBy(
  lists: readonly { readonly id: string; readonly bit: number; readonly action: "block" | "allow" }[],
  contents: Contents,
): ReadonlyMap<string, Listed> {
  const listed = new Map<string, Listed>();
  for (const { id, bit, action } of lists)
    for (const { name, scope, isException } of contents.get(id) ?? []) {
      const mask = (1 << bit) >>> 0;
      const before = listed.get(name) ?? { exact: 0, below: 0, allowExact: 0, allowBelow: 0 };
      const [exact, below] = [scope === "below" ? 0 : mask, scope === "exact" ? 0 : mask];
      listed.set(
        name,
        isException || action === "allow"
          ? { ...before, allowExact: before.allowExact | exact, allowBelow: before.allowBelow | below }
          : { ...before, exact: before.exact | exact, below: before.below | below },
      );
    }
  return listed;
}

function randomSource({ device, device_group, privacy_class }: ClientResources, { among }: RandomChoices): object {
  const source_type = among(["everyone", "everyone", "device", "device_group", "privacy_class", "subnet"] as const);
  const values = {
    everyone: [""],
    device: device.map(({ id }) => id),
    device_group: device_group.map(({ id }) => id),
    privacy_class: privacy_class.map(({ id }) => id),
    subnet: networks,
  };
  return { source_type, source_value: among(values[source_type]) };
}

/** A name that clients may query, or a domain above such names. */
const randomSubject = (dice: RandomChoices): string => {
  const name = dice.below(4) === 0 ? `${dice.among(words)}.alias.lab` : randomFresh(dice);
  return dice.below(3) === 0 ? name.toUpperCase() : name;
};

function randomRule(dice: RandomChoices): object {
  const match = dice.among(["exact", "suffix", "wildcard", "regex"] as const);
  const pattern =
    match !== "regex"
      ? randomSubject(dice)
      : dice.among([
          `^${dice.among(words)}\\.`,
          `(^|\\.)${dice.among(words)}\\d*\\.(a|b)`,
          `^n[0-9]*[${dice.below(10)}]\\..*alias`,
          `^${randomPattern(dice, 1)}.fresh`,
        ]);
  return { name: `rule ${dice.below(1e9)}`, action: dice.among(["allow", "block", "block"]), match, pattern };
}

function randomRewrite(dice: RandomChoices): object {
  const answer = dice.among(["A", "A", "AAAA", "CNAME", "NXDOMAIN"] as const);
  const value = {
    A: `203.0.113.${10 + dice.below(40)}`,
    AAAA: `2001:db8:77::${1 + dice.below(40)}`,
    CNAME: `led${dice.below(5)}.fresh.lab`,
    NXDOMAIN: "",
  }[answer];
  return { domain: randomSubject(dice), match: dice.among(["exact", "suffix", "wildcard"]), answer, value };
}

const formats = ["hosts", "domains", "adblock", "rpz"] as const;
type Format = (typeof formats)[number];

function randomList(dice: RandomChoices): { format: Format; action: "block" | "allow"; entries: readonly ListEntry[] } {
  const format = dice.among(formats);
  const action = dice.among(["block", "block", "allow"] as const);
  const scopes = {
    hosts: ["exact"],
    domains: ["both", "below"],
    adblock: ["both", "below"],
    rpz: ["exact", "below"],
  } as const;
  const entries = Array.from({ length: 2 + dice.below(8) }, () => ({
    name: randomSubject(dice).toLowerCase(),
    scope: dice.among<ListEntry["scope"]>(scopes[format]),
    isException: action === "block" && (format === "adblock" || format === "rpz") && dice.below(5) === 0,
  }));
  return { format, action, entries };
}

export function textOf(format: Format, entries: readonly ListEntry[]): string {
  const line = ({ name, scope, isException }: ListEntry): string => {
    const subject = scope === "below" ? `*.${name}` : name;
    switch (format) {
      case "hosts":
        return `0.0.0.0 ${name}`;
      case "domains":
        return subject;
      case "adblock":
        return `${isException ? "@@" : ""}||${subject}^`;
      case "rpz":
        return `${subject} CNAME ${isException ? "rpz-passthru." : "."}`;
    }
  };
  return `${entries.map(line).join("\n")}\n`;
}
