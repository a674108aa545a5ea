import { sentence } from "@portcullis/contract/reason";
import { readdirSync, readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { formatNetwork, parseAddress, parseNetwork } from "../daemon/src/net/addresses.ts";
import { isBlockName } from "../daemon/src/subsystems/tunnels/openvpn-blocks.ts";
import { parseOpenvpnConf, renderOpenvpnConf } from "../daemon/src/subsystems/tunnels/openvpn-conf.ts";
import { classify } from "../daemon/src/subsystems/tunnels/openvpn-directives.ts";
import { fastestCpuMs } from "./cpu-time.ts";
import type { OpenvpnProfile, ParseResult, WireguardProfile } from "../daemon/src/subsystems/tunnels/profile.ts";
import { parseWireguardConf, renderWireguardConf } from "../daemon/src/subsystems/tunnels/wireguard-conf.ts";

export type Format = "wireguard" | "openvpn";

const folder = new URL("../daemon/src/subsystems/tunnels/corpus/", import.meta.url);

/** Files as uploaded: bytes that are not UTF-8 became U+FFFD, a byte order mark is kept. */
export const corpus: readonly { readonly name: string; readonly format: Format; readonly text: string }[] = readdirSync(
  folder,
)
  .filter((name) => /\.(?:conf|ovpn)$/.test(name))
  .toSorted()
  .map((name) => ({
    name,
    format: name.endsWith(".ovpn") ? "openvpn" : "wireguard",
    text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(readFileSync(new URL(name, folder))),
  }));

export interface Outcome {
  readonly isRead: boolean;
  /** The violated properties, each as a sentence. */
  readonly violations: readonly string[];
}

/** Parses the text and checks the properties that hold for every text. */
export function checkProperties(format: Format, text: string): Outcome {
  const parse = format === "wireguard" ? parseWireguardConf : parseOpenvpnConf;
  let reading: ReturnType<typeof parse>;
  let tookMs: number;
  try {
    reading = parse(text);
    tookMs = fastestCpuMs(() => parse(text), maxMs);
  } catch (error) {
    return { isRead: false, violations: [`it throws ${String(error)}`] };
  }
  const broken = tookMs > maxMs ? [`it takes ${Math.round(tookMs)} ms`] : [];
  if (reading.kind === "refused")
    return { isRead: false, violations: [...broken, ...refusalViolations(reading, text)] };
  const { profile } = reading;
  const notes = reading.notes.map((it) => `${sentence(it)}.`);
  return {
    isRead: true,
    violations: [
      ...broken,
      ...notes.filter((note) => !isSentence(note)).map((note) => `no sentence: ${note}`),
      ...violationsOf(profile, notes),
    ],
  };
}

export const violationsOf = (
  profile: WireguardProfile | OpenvpnProfile,
  notes: readonly string[],
): readonly string[] => ("peers" in profile ? wireguardViolations(profile, notes) : openvpnViolations(profile, notes));

const maxMs = 1000;

function refusalViolations(
  { refusals }: Extract<ParseResult<never>, { kind: "refused" }>,
  text: string,
): readonly string[] {
  const lines = text.split("\n").length;
  return [
    ...(refusals.length < 1 || refusals.length > 50 ? [`it has ${refusals.length} refusals`] : []),
    ...refusals.flatMap(({ line, problem }) => [
      ...(line !== null && (line < 1 || line > lines) ? [`it names line ${line} of ${lines}`] : []),
      ...(isSentence(problem) ? [] : [`no sentence: ${problem}`]),
    ]),
  ];
}

const isSentence = (text: string): boolean => /^[^\p{C}]{10,300}[.?)]$/u.test(text);

function wireguardViolations(profile: WireguardProfile, notes: readonly string[]): readonly string[] {
  const { privateKey, addresses, dns, mtu, listenPort, peers } = profile;
  const secrets = [privateKey, ...peers.map(({ presharedKey }) => presharedKey)].filter((key) => key !== null);
  const text = renderWireguardConf(profile, "kept apart");
  const again = parseWireguardConf(text);
  const bare = {
    ...profile,
    privateKey: null,
    peers: peers.map((peer) => ({ ...peer, presharedKey: null })),
  };
  return failing({
    "a key is invalid": [...secrets, ...peers.map(({ publicKey }) => publicKey)].every(isKey),
    "an address is invalid": addresses.length > 0 && addresses.every((it) => it.includes("/") && !!parseNetwork(it)),
    "a network is not in canonical form": peers.every(({ allowedIps }) => allowedIps.every(isNetwork)),
    "a resolver is invalid": dns.every((it) => parseAddress(it) !== undefined),
    "a number is out of range":
      within(mtu ?? 1280, 576) && within(listenPort ?? 1) && peers.every(({ keepaliveSec }) => within(keepaliveSec, 0)),
    "an endpoint is invalid": peers.every(({ endpoint }) => endpoint === null || /^[^\s#]+:\d{1,5}$/.test(endpoint)),
    "the number of peers is out of range": peers.length > 0 && peers.length <= 256,
    "a peer is duplicated": new Set(peers.map(({ publicKey }) => publicKey)).size === peers.length,
    "a secret is shown": secrets.every((key) => isAlsoPublic(key, peers) || !`${text}${notes.join()}`.includes(key)),
    "a command is kept": !/\b(?:pre|post)\s*(?:up|down)\b/i.test(text),
    "rendering and parsing changes it": again.kind === "read" && isDeepStrictEqual(again.profile, bare),
  });
}

/** A file may use one key as public and as preshared key; then it is not secret. */
const isAlsoPublic = (key: string, peers: WireguardProfile["peers"]): boolean =>
  peers.some(({ publicKey }) => publicKey === key);

const isKey = (text: string): boolean =>
  Buffer.from(text, "base64").length === 32 && Buffer.from(text, "base64").toString("base64") === text;

const isNetwork = (text: string): boolean => text.includes("/") && formatNetwork(text) === text;

const within = (value: number, min = 1): boolean => Number.isInteger(value) && value >= min && value <= 65_535;

function openvpnViolations(profile: OpenvpnProfile, notes: readonly string[]): readonly string[] {
  const { remotes, directives, blocks, secretBlocks, credentials, requiresCredentials } = profile;
  const text = renderOpenvpnConf(profile, "kept apart");
  const again = parseOpenvpnConf(text);
  const bare = { ...profile, secretBlocks: {}, credentials: null };
  const shown = `${withoutBlocks(text)}${notes.join()}`;
  const all = { ...blocks, ...secretBlocks };
  return failing({
    "a remote is invalid":
      remotes.length > 0 && remotes.every(({ host, port }) => /^[a-z0-9_.:-]+$/.test(host) && within(port)),
    "a directive is not in the list": directives.every(({ name, args }) => classify(name, args).kind === "kept"),
    "an argument contains a control character": directives.every(({ args }) =>
      args.every((arg) => !/\p{Cc}/u.test(arg)),
    ),
    "a block is unknown": Object.keys(all).every(isBlockName),
    "a block contains more than keys": Object.values(all).every((it) => /^(?:[A-Za-z0-9+/= -]+\n)+$/.test(it)),
    "a secret is shown":
      Object.values(secretBlocks).every(
        (it) => !it.split("\n").some((line) => isSecretLine(line) && shown.includes(line)),
      ) &&
      (credentials === null || !discloses(credentials.password, withoutBlocks(text), notes, linesOf(profile))),
    "a script is kept": directiveNames(text).every((name) => !scripts.has(name)),
    "a line is too long for OpenVPN": text.split("\n").every((line) => Buffer.byteLength(line) <= 254),
    "credentials are present but not required": credentials === null || requiresCredentials,
    "rendering and parsing changes it":
      again.kind === "read" ? isDeepStrictEqual(again.profile, bare) : "pkcs12" in secretBlocks,
  });
}

/** Short passwords may occur by chance. One that equals another line of the file is rendered as that line only. */
function discloses(password: string, text: string, notes: readonly string[], lines: readonly string[]): boolean {
  if (password.length < 16) return false;
  return notes.join().includes(password) || (text.includes(password) && !lines.includes(password));
}

const linesOf = ({ remotes, directives }: OpenvpnProfile): readonly string[] => [
  ...directives.map(({ name, args }) => [name, ...args].join(" ")),
  ...remotes.map(({ host, port }) => `remote ${host} ${port}`),
];

/** Not a PEM marker, and too long to occur in the rest of the text by chance. */
const isSecretLine = (line: string): boolean => line.length >= 16 && !line.startsWith("-----");

/** What OpenVPN would read as directives, found by simpler means than the parser's. */
export const directiveNames = (text: string): readonly string[] =>
  withoutBlocks(text)
    .split("\n")
    .map((line) =>
      line
        .replaceAll(/["'\\]/g, "")
        .trim()
        .split(/\s/, 1)[0]!
        .replace(/^--/, "")
        .toLowerCase(),
    )
    .filter((name) => name !== "" && name !== "#");

/** Text that a mutation put into a public block is public. */
const withoutBlocks = (text: string): string => text.replaceAll(/^<([a-z0-9-]+)>\n[^<]*^<\/\1>$/gm, "$1");

const scripts: ReadonlySet<string> = new Set(
  (
    "up down up-restart route-up route-pre-down ipchange tls-verify client-connect client-disconnect learn-address " +
    "auth-user-pass-verify plugin iproute script-security config cd writepid status log log-append management engine " +
    "tls-crypt-v2-verify askpass setenv http-proxy socks-proxy secret providers pkcs11-providers tmp-dir dev-node"
  ).split(" "),
);

const failing = (properties: Readonly<Record<string, boolean>>): readonly string[] =>
  Object.entries(properties)
    .filter(([, holds]) => !holds)
    .map(([property]) => property);
