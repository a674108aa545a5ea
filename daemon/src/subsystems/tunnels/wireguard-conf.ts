import { because, type Reason } from "@portcullis/contract/reason";
import { nearest } from "@portcullis/contract/nearest";
import { collectFindings, type Findings, linesOf, onOneLine, wholeNumber } from "./file-text.ts";
import type { ParseResult, WireguardProfile } from "./profile.ts";
import { addressesIn, type Listed, networksIn, endpointIn, resolversIn } from "./wireguard-values.ts";

/**
 * Parses the format of wg-quick(8) with its semantics: case-insensitive, repeated lists are concatenated, of other repeated
 * keys the last one is used. Commands in the file are refused. No refusal quotes a key.
 */
export function parseWireguardConf(text: string): ParseResult<WireguardProfile> {
  const found = linesOf(text);
  if (found.kind === "refused") return found;
  const findings = collectFindings();
  const file = readSections(found.lines, findings);
  checkWhole(file, findings);
  return findings.refusals.length > 0
    ? { kind: "refused", refusals: findings.refusals }
    : { kind: "read", profile: profileOf(file, findings), notes: findings.notes() };
}

/** The profile in the format of wg-quick. Secret keys are replaced by a comment with `secretNote`. */
export function renderWireguardConf(profile: WireguardProfile, secretNote: string): string {
  const secret = (key: string, value: string | null) => (value === null ? [] : [`# ${key}: ${onOneLine(secretNote)}`]);
  const line = (key: string, value: string | number | null) => (value === null ? [] : [`${key} = ${value}`]);
  const list = (key: string, values: readonly string[]) => line(key, values.length > 0 ? values.join(", ") : null);
  const sections = [
    [
      "[Interface]",
      ...secret("PrivateKey", profile.privateKey),
      ...list("Address", profile.addresses),
      ...list("DNS", profile.dns),
      ...line("MTU", profile.mtu),
      ...line("ListenPort", profile.listenPort),
    ],
    ...profile.peers.map((peer) => [
      "[Peer]",
      ...line("PublicKey", peer.publicKey),
      ...secret("PresharedKey", peer.presharedKey),
      ...list("AllowedIPs", peer.allowedIps),
      ...line("Endpoint", peer.endpoint),
      ...line("PersistentKeepalive", peer.keepaliveSec === 0 ? null : peer.keepaliveSec),
    ]),
  ];
  return sections.map((lines) => `${lines.join("\n")}\n`).join("\n");
}

interface Interface {
  privateKey: string | null;
  hasAddress: boolean;
  readonly addresses: string[];
  readonly dns: string[];
  mtu: { readonly value: number; readonly line: number } | null;
  listenPort: number | null;
}

interface Peer {
  readonly line: number;
  hasPublicKey: boolean;
  publicKey: string | null;
  presharedKey: string | null;
  endpoint: string | null;
  readonly allowedIps: string[];
  keepaliveSec: number | null;
}

interface File {
  readonly interface: Interface;
  readonly peers: Peer[];
  hasInterface: boolean;
}

const maxPeers = 256;

type Section = { readonly kind: "interface" } | { readonly kind: "peer"; readonly peer: Peer };

function readSections(lines: readonly string[], findings: Findings): File {
  const file: File = {
    interface: { privateKey: null, hasAddress: false, addresses: [], dns: [], mtu: null, listenPort: null },
    peers: [],
    hasInterface: false,
  };
  let section: Section | "unknown" | null = null;
  for (const [index, written] of lines.entries()) {
    if (findings.isFull() || file.peers.length > maxPeers) break;
    const line = index + 1;
    const words = (written.split("#", 1)[0] ?? "").trim();
    if (words === "") continue;
    if (words.startsWith("[")) section = sectionNamed(words, line, file, findings);
    else if (section === null) findings.refuse(line, "This line is before [Interface] or [Peer].");
    else if (section !== "unknown") readSetting(words, line, section, file, findings);
  }
  return file;
}

function sectionNamed(words: string, line: number, file: File, findings: Findings): Section | "unknown" {
  const name = withoutSpaces(words).toLowerCase();
  if (name === "[interface]") {
    if (file.hasInterface) findings.note("[Interface]", because("import_merged", { line }));
    file.hasInterface = true;
    return { kind: "interface" };
  }
  if (name === "[peer]") {
    const peer = {
      line,
      hasPublicKey: false,
      publicKey: null,
      presharedKey: null,
      endpoint: null,
      allowedIps: [],
      keepaliveSec: null,
    };
    file.peers.push(peer);
    return { kind: "peer", peer };
  }
  findings.refuse(line, "This section is unknown. Valid sections are [Interface] and [Peer].");
  return "unknown";
}

function readSetting(words: string, line: number, section: Section, file: File, findings: Findings): void {
  const equals = words.indexOf("=");
  if (equals < 0) return findings.refuse(line, "This line is not a section, a comment or `key = value`.");
  const typed = withoutSpaces(words.slice(0, equals));
  const key = typed.toLowerCase();
  const value = words.slice(equals + 1).trim();
  const refuse = (problem: string) => findings.refuse(line, problem);
  if (section.kind === "interface") {
    const read = interfaceKeys.get(key);
    if (read) read({ value, line, refuse, findings }, file.interface);
    else refuse(problemOfKey(typed, section.kind));
  } else {
    const read = peerKeys.get(key);
    if (read) read({ value, line, refuse, findings }, section.peer);
    else refuse(problemOfKey(typed, section.kind));
  }
}

interface Setting {
  readonly value: string;
  readonly line: number;
  readonly refuse: (problem: string) => void;
  readonly findings: Findings;
}

type Read<S> = (setting: Setting, into: S) => void;
type Keys<S> = Readonly<Record<string, Read<S>>>;

const interfaceKeys = byKey<Interface>({
  privatekey: (setting, into) => {
    into.privateKey = once(setting, "PrivateKey", into.privateKey, keyIn(setting, "PrivateKey"));
  },
  listenport: (setting, into) => {
    const port = wholeNumber(setting.value, 0, 65_535);
    if (port === undefined) return setting.refuse("ListenPort must be a number from 0 to 65535.");
    into.listenPort = port === 0 ? null : once(setting, "ListenPort", into.listenPort, port);
  },
  address: (setting, into) => {
    into.hasAddress ||= setting.value !== "";
    add(setting, into.addresses, addressesIn(setting.value));
  },
  dns: (setting, into) => {
    const { searched, ...listed } = resolversIn(setting.value);
    if (searched) setting.findings.note("search", because("import_search_domains"));
    add(setting, into.dns, listed);
  },
  mtu: (setting, into) => {
    if (setting.value === "") return;
    const value = wholeNumber(setting.value, 576, 65_535);
    if (value === undefined) return setting.refuse("MTU must be a number from 576 to 65535.");
    into.mtu = once(setting, "MTU", into.mtu, { value, line: setting.line });
  },
  ...meaningless({
    Table: because("left_out_routes"),
    FwMark: because("left_out_marks"),
    SaveConfig: because("left_out_saved"),
    IncludedApplications: because("left_out_phones"),
    ExcludedApplications: because("left_out_phones"),
  }),
  ...hooks("PreUp", "PostUp", "PreDown", "PostDown"),
});

const peerKeys = byKey<Peer>({
  publickey: (setting, into) => {
    into.hasPublicKey = true;
    into.publicKey = once(setting, "PublicKey", into.publicKey, keyIn(setting, "PublicKey"));
  },
  presharedkey: (setting, into) => {
    into.presharedKey = once(setting, "PresharedKey", into.presharedKey, keyIn(setting, "PresharedKey"));
  },
  allowedips: (setting, into) => add(setting, into.allowedIps, networksIn(setting.value)),
  endpoint: (setting, into) => {
    const { endpoint, problem } = endpointIn(withoutSpaces(setting.value));
    if (problem !== null) return setting.refuse(problem);
    into.endpoint = once(setting, "Endpoint", into.endpoint, endpoint);
  },
  persistentkeepalive: (setting, into) => {
    const seconds = setting.value.toLowerCase() === "off" ? 0 : wholeNumber(setting.value, 0, 65_535);
    if (seconds === undefined) return setting.refuse("PersistentKeepalive must be `off` or a number from 0 to 65535.");
    into.keepaliveSec = once(setting, "PersistentKeepalive", into.keepaliveSec, seconds);
  },
  ...hooks("PreUp", "PostUp", "PreDown", "PostDown"),
});

function byKey<S>(keys: Keys<S>): ReadonlyMap<string, Read<S>> {
  return new Map(Object.entries(keys));
}

const knownKeys = {
  interface: ["PrivateKey", "ListenPort", "FwMark", "Address", "DNS", "MTU", "Table", "SaveConfig"],
  peer: ["PublicKey", "PresharedKey", "AllowedIPs", "Endpoint", "PersistentKeepalive"],
} as const;

function meaningless(reasons: Readonly<Record<string, Reason>>): Keys<unknown> {
  return Object.fromEntries(
    Object.entries(reasons).map(([directive, why]) => [
      directive.toLowerCase(),
      ({ findings }: Setting) => findings.note(directive, because("import_left_out", { directive, why })),
    ]),
  );
}

function hooks(...names: readonly string[]): Keys<unknown> {
  const refused = (name: string) => (setting: Setting) =>
    setting.refuse(
      `${name} would run a command on the gateway as root. Remove the line; the gateway sets up the tunnel.`,
    );
  return Object.fromEntries(names.map((name) => [name.toLowerCase(), refused(name)]));
}

function keyIn({ value, refuse }: Setting, name: string): string | null {
  const key = withoutSpaces(value);
  if (isKey(key)) return key;
  refuse(`${name} is not a key: 32 bytes in base64, which are 44 characters ending in =.`);
  return null;
}

/** 43 digits of base64 are 258 bits; the last two must be zero, or wg refuses the key. */
const isKey = (text: string): boolean => /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/.test(text);

function once<T>({ line, findings }: Setting, name: string, before: T | null, now: T | null): T | null {
  if (before !== null && now !== null) findings.note(`${name} again`, because("import_repeated", { line, what: name }));
  return now ?? before;
}

function add(setting: Setting, into: string[], { values, problem }: Listed): void {
  if (problem !== null) setting.refuse(problem);
  for (const value of values) into.push(value);
}

function problemOfKey(typed: string, section: "interface" | "peer"): string {
  const [here, there, other] =
    section === "interface"
      ? ([knownKeys.interface, peerKeys, "[Peer]"] as const)
      : ([knownKeys.peer, interfaceKeys, "[Interface]"] as const);
  const key = typed.toLowerCase();
  const name = /^[A-Za-z]{1,30}\d?$/.test(typed) ? `The key ${typed}` : "This key";
  if (there.has(key)) return `${name} belongs in ${other}.`;
  if (/^(?:jc|jmin|jmax|s[1-4]|h[1-4]|i[1-5])$/.test(key))
    return `${name} is a key of AmneziaWG, which is not compatible with WireGuard servers.`;
  const meant = nearest(typed, here);
  return `${name} is unknown${meant ? `. Did you mean ${meant}?` : " to WireGuard."}`;
}

function checkWhole(file: File, findings: Findings): void {
  if (!file.hasInterface) findings.refuse(null, "The file has no [Interface].");
  else if (!file.interface.hasAddress)
    findings.refuse(null, "[Interface] has no Address, without which no packet can be sent. Your provider assigns it.");
  if (file.peers.length === 0) findings.refuse(null, "The file has no [Peer].");
  if (file.peers.length > maxPeers) findings.refuse(null, `The file has more than ${maxPeers} peers.`);
  for (const { hasPublicKey, line } of file.peers.slice(0, maxPeers))
    if (!hasPublicKey) findings.refuse(line, "This [Peer] has no PublicKey.");
  const { mtu, addresses } = file.interface;
  if (mtu && mtu.value < minMtuOfIpv6 && addresses.some((address) => address.includes(":")))
    findings.refuse(
      mtu.line,
      `MTU ${mtu.value} is too small for the IPv6 address: that needs ${minMtuOfIpv6} or more.`,
    );
}

const minMtuOfIpv6 = 1280;

function profileOf({ interface: own, peers }: File, findings: Findings): WireguardProfile {
  if (own.privateKey === null) findings.note("no key", because("import_no_key", { key: "PrivateKey" }));
  const merged = mergedPeers(peers, findings);
  if (merged.every(({ allowedIps }) => allowedIps.length === 0))
    findings.note("nothing allowed", because("import_nothing_allowed"));
  return {
    privateKey: own.privateKey,
    addresses: [...new Set(own.addresses)],
    dns: [...new Set(own.dns)],
    mtu: own.mtu?.value ?? null,
    listenPort: own.listenPort,
    peers: merged,
  };
}

/**
 * Two sections of the same peer are merged, as by the kernel: keys that the later section does not contain stay, apart from
 * the preshared key and the networks, which `wg setconf` always replaces.
 */
function mergedPeers(peers: readonly Peer[], findings: Findings): WireguardProfile["peers"] {
  const merged = new Map<string, WireguardProfile["peers"][number]>();
  for (const { line, publicKey, presharedKey, endpoint, allowedIps, keepaliveSec } of peers) {
    const before = merged.get(publicKey!);
    if (before) findings.note("peer again", because("import_peer_repeated", { line }));
    merged.set(publicKey!, {
      publicKey: publicKey!,
      presharedKey,
      endpoint: endpoint ?? before?.endpoint ?? null,
      allowedIps: [...new Set(allowedIps)],
      keepaliveSec: keepaliveSec ?? before?.keepaliveSec ?? 0,
    });
  }
  return [...merged.values()];
}

const withoutSpaces = (text: string): string => text.replaceAll(/[ \t]/g, "");
