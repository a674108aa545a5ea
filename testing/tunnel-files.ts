import { readdirSync, readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { formatNetwork, parseAddress, parseNetwork } from "@portcullis/contract/addresses";
import { isBlockName } from "../daemon/src/subsystems/tunnels/openvpn-blocks.ts";
import { parseOpenvpnConf, renderOpenvpnConf } from "../daemon/src/subsystems/tunnels/openvpn-conf.ts";
import { judge } from "../daemon/src/subsystems/tunnels/openvpn-directives.ts";
import { fastestCpuMs } from "./cpu-time.ts";
import type { OpenvpnProfile, Reading, WireguardProfile } from "../daemon/src/subsystems/tunnels/profile.ts";
import { parseWireguardConf, renderWireguardConf } from "../daemon/src/subsystems/tunnels/wireguard-conf.ts";

export type Format = "wireguard" | "openvpn";

const folder = new URL("../daemon/src/subsystems/tunnels/corpus/", import.meta.url);

/** Files as an upload arrives: bytes that are not UTF-8 became U+FFFD, a mark at the beginning is still there. */
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
  /** Which laws the reading breaks, each as a sentence. */
  readonly broken: readonly string[];
}

/** Reads the text and holds the result against what is promised for every text whatsoever. */
export function holdAgainstLaws(format: Format, text: string): Outcome {
  const parse = format === "wireguard" ? parseWireguardConf : parseOpenvpnConf;
  let reading: ReturnType<typeof parse>;
  let tookMs: number;
  try {
    reading = parse(text);
    tookMs = fastestCpuMs(() => parse(text), mostMs);
  } catch (error) {
    return { isRead: false, broken: [`it throws ${String(error)}`] };
  }
  const broken = tookMs > mostMs ? [`it takes ${Math.round(tookMs)} ms`] : [];
  if (reading.kind === "refused") return { isRead: false, broken: [...broken, ...brokenByRefusal(reading, text)] };
  const { profile, notes } = reading;
  return {
    isRead: true,
    broken: [
      ...broken,
      ...notes.filter((note) => !isSentence(note)).map((note) => `no sentence: ${note}`),
      ...brokenBy(profile, notes),
    ],
  };
}

export const brokenBy = (profile: WireguardProfile | OpenvpnProfile, notes: readonly string[]): readonly string[] =>
  "peers" in profile ? brokenByWireguard(profile, notes) : brokenByOpenvpn(profile, notes);

const mostMs = 1000;

function brokenByRefusal({ refusals }: Extract<Reading<never>, { kind: "refused" }>, text: string): readonly string[] {
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

function brokenByWireguard(profile: WireguardProfile, notes: readonly string[]): readonly string[] {
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
    "a key is no key": [...secrets, ...peers.map(({ publicKey }) => publicKey)].every(isKey),
    "an address is none": addresses.length > 0 && addresses.every((it) => it.includes("/") && !!parseNetwork(it)),
    "a network is not in its one spelling": peers.every(({ allowedIps }) => allowedIps.every(isNetwork)),
    "a resolver is none": dns.every((it) => parseAddress(it) !== undefined),
    "a number is out of bounds":
      within(mtu ?? 1280, 576) && within(listenPort ?? 1) && peers.every(({ keepaliveSec }) => within(keepaliveSec, 0)),
    "an endpoint is none": peers.every(({ endpoint }) => endpoint === null || /^[^\s#]+:\d{1,5}$/.test(endpoint)),
    "there are too many or too few peers": peers.length > 0 && peers.length <= 256,
    "a peer is there twice": new Set(peers.map(({ publicKey }) => publicKey)).size === peers.length,
    "a secret is shown": secrets.every((key) => isAlsoPublic(key, peers) || !`${text}${notes.join()}`.includes(key)),
    "a command survives": !/\b(?:pre|post)\s*(?:up|down)\b/i.test(text),
    "it is read differently once it was printed": again.kind === "read" && isDeepStrictEqual(again.profile, bare),
  });
}

/** Somebody may write the same key as public and as preshared; then it was no secret before. */
const isAlsoPublic = (key: string, peers: WireguardProfile["peers"]): boolean =>
  peers.some(({ publicKey }) => publicKey === key);

const isKey = (text: string): boolean =>
  Buffer.from(text, "base64").length === 32 && Buffer.from(text, "base64").toString("base64") === text;

const isNetwork = (text: string): boolean => text.includes("/") && formatNetwork(text) === text;

const within = (value: number, least = 1): boolean => Number.isInteger(value) && value >= least && value <= 65_535;

function brokenByOpenvpn(profile: OpenvpnProfile, notes: readonly string[]): readonly string[] {
  const { remotes, directives, blocks, secretBlocks, credentials, asksForCredentials } = profile;
  const text = renderOpenvpnConf(profile, "kept apart");
  const again = parseOpenvpnConf(text);
  const bare = { ...profile, secretBlocks: {}, credentials: null };
  const shown = `${withoutBlocks(text)}${notes.join()}`;
  const all = { ...blocks, ...secretBlocks };
  return failing({
    "a remote is none":
      remotes.length > 0 && remotes.every(({ host, port }) => /^[a-z0-9_.:-]+$/.test(host) && within(port)),
    "a directive is not of the list": directives.every(({ name, args }) => judge(name, args).kind === "kept"),
    "an argument holds a control character": directives.every(({ args }) => args.every((arg) => !/\p{Cc}/u.test(arg))),
    "a block is unknown": Object.keys(all).every(isBlockName),
    "a block holds more than keys": Object.values(all).every((it) => /^(?:[A-Za-z0-9+/= -]+\n)+$/.test(it)),
    "a secret is shown":
      Object.values(secretBlocks).every(
        (it) => !it.split("\n").some((line) => isTelling(line) && shown.includes(line)),
      ) &&
      (credentials === null || !tells(credentials.password, withoutBlocks(text), notes, linesOf(profile))),
    "a script survives": namesIn(text).every((name) => !scripts.has(name)),
    "a line is too long for OpenVPN": text.split("\n").every((line) => Buffer.byteLength(line) <= 254),
    "credentials without being asked for": credentials === null || asksForCredentials,
    "it is read differently once it was printed":
      again.kind === "read" ? isDeepStrictEqual(again.profile, bare) : "pkcs12" in secretBlocks,
  });
}

/** A short one may be there by chance. One that is a line of the file besides is printed as that line, and nowhere else. */
function tells(password: string, text: string, notes: readonly string[], lines: readonly string[]): boolean {
  if (password.length < 16) return false;
  return notes.join().includes(password) || (text.includes(password) && !lines.includes(password));
}

const linesOf = ({ remotes, directives }: OpenvpnProfile): readonly string[] => [
  ...directives.map(({ name, args }) => [name, ...args].join(" ")),
  ...remotes.map(({ host, port }) => `remote ${host} ${port}`),
];

/** Not a mark, and too long to be in the rest of the text by chance. */
const isTelling = (line: string): boolean => line.length >= 16 && !line.startsWith("-----");

/** What OpenVPN would take for directives, found in a plainer way than the parser does. */
export const namesIn = (text: string): readonly string[] =>
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

/** What somebody swaps into a certificate that is still as long as it says has been made public by them. */
const withoutBlocks = (text: string): string => text.replaceAll(/^<([a-z0-9-]+)>\n[^<]*^<\/\1>$/gm, "$1");

const scripts: ReadonlySet<string> = new Set(
  (
    "up down up-restart route-up route-pre-down ipchange tls-verify client-connect client-disconnect learn-address " +
    "auth-user-pass-verify plugin iproute script-security config cd writepid status log log-append management engine " +
    "tls-crypt-v2-verify askpass setenv http-proxy socks-proxy secret providers pkcs11-providers tmp-dir dev-node"
  ).split(" "),
);

const failing = (laws: Readonly<Record<string, boolean>>): readonly string[] =>
  Object.entries(laws)
    .filter(([, holds]) => !holds)
    .map(([law]) => law);
