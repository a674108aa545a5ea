import { readBlock, type BlockName, isBlockName, isSecretBlock } from "./openvpn-blocks.ts";
import { fileDirectives, judge, problemOfUnknown } from "./openvpn-directives.ts";
import { type Item, itemsOf, withoutDashes } from "./openvpn-items.ts";
import { isLonger, lineOf, mostBytesOfLine } from "./openvpn-words.ts";
import { findings, type Findings, linesOf, onOneLine, wholeNumber } from "./file-text.ts";
import { hostIn } from "./host.ts";
import type { OpenvpnProfile, Reading } from "./profile.ts";

/**
 * Reads an `.ovpn` of a client that speaks TLS. What the gateway decides itself is left out with a note; what runs
 * programs, touches files or is not known is refused. No refusal ever quotes an argument.
 */
export function parseOpenvpnConf(text: string): Reading<OpenvpnProfile> {
  const found = linesOf(text);
  if (found.kind === "refused") return found;
  const told = findings();
  const draft = emptyDraft();
  for (const item of itemsOf(found.lines)) {
    if (told.isFull()) break;
    readItem(item, draft, told);
  }
  const remotes = remotesOf(draft, told);
  checkWhole(draft, remotes, told);
  if (told.refusals.length > 0) return { kind: "refused", refusals: told.refusals };
  return { kind: "read", profile: profileOf(draft, remotes), notes: told.notes() };
}

/** The profile as OpenVPN takes it. What nobody may see is left out; `secretNote` says where it is. */
export function renderOpenvpnConf(profile: OpenvpnProfile, secretNote: string): string {
  const secret = (name: string) => `# ${name}: ${onOneLine(secretNote)}`;
  return [
    ...profile.directives.map(({ name, args }) => lineOf([name, ...args])),
    ...profile.remotes.map(({ host, port, protocol }) => lineOf(["remote", host, String(port), protocol])),
    ...(profile.credentials ? [secret("auth-user-pass")] : []),
    ...(profile.asksForCredentials ? ["auth-user-pass"] : []),
    ...Object.keys(profile.secretBlocks).map(secret),
    ...Object.entries(profile.blocks).map(([name, content]) => `<${name}>\n${content.trimEnd()}\n</${name}>`),
  ]
    .map((line) => `${line}\n`)
    .join("");
}

type Protocol = "udp" | "tcp";

interface Remote {
  readonly line: number;
  readonly host: string;
  readonly port: number | null;
  readonly protocol: Protocol | null;
}

/** Of the whole file, or of one `<connection>`. */
interface Connection {
  readonly remotes: Remote[];
  port: number | null;
  protocol: Protocol | null;
}

interface Draft extends Connection {
  forced: Protocol | null;
  readonly directives: Map<string, readonly string[]>;
  readonly fingerprints: Set<string>;
  readonly blocks: Map<BlockName, string>;
  asksForCredentials: boolean;
  credentials: OpenvpnProfile["credentials"];
  readonly mayBeUnknown: Set<string>;
}

const emptyDraft = (): Draft => ({
  remotes: [],
  port: null,
  protocol: null,
  forced: null,
  directives: new Map([["client", []]]),
  fingerprints: new Set(),
  blocks: new Map(),
  asksForCredentials: false,
  credentials: null,
  mayBeUnknown: new Set(),
});

function readItem(item: Item, draft: Draft, told: Findings): void {
  switch (item.kind) {
    case "refused":
      return told.refuse(item.line, item.problem);
    case "directive":
      return readDirective(item, { draft, connection: null, told });
    case "block":
      return readInline(item, draft, told);
  }
}

interface Directive {
  readonly line: number;
  readonly name: string;
  readonly args: readonly string[];
}

interface Place {
  readonly draft: Draft;
  /** The `<connection>` the directive stands in. */
  readonly connection: Connection | null;
  readonly told: Findings;
}

function readDirective(directive: Directive, place: Place): void {
  const { line, name, args } = directive;
  const { draft, told } = place;
  const drop = (why: string) => told.note(name, `${name} is left out: ${why}.`);
  if (fileDirectives.includes(name)) return readFileName(directive, place);
  switch (name) {
    case "remote":
    case "port":
    case "rport":
    case "proto":
      return readWay(directive, place.connection ?? draft, told);
    case "proto-force":
      draft.forced = protocols.get(args[0] ?? "") ?? null;
      return draft.forced ? undefined : told.refuse(line, "proto-force is followed by udp or tcp.");
    case "auth-user-pass":
      if (args.length > 0) return told.refuse(line, putInline(name));
      draft.asksForCredentials = true;
      return undefined;
    case "script-security":
      return /^[01]$/.test(args[0] ?? "")
        ? drop("no program is run anyway")
        : told.refuse(line, "script-security is refused: it would allow programs to be run on the gateway.");
    case "mode":
      return args[0] === "p2p"
        ? drop("it is what a client does anyway")
        : told.refuse(line, "mode is refused: it makes a server of the gateway, and this is a client's tunnel.");
    case "dev":
    case "dev-type":
      return args[0]?.toLowerCase().startsWith("tap")
        ? told.refuse(line, `${name} tap is refused: it carries Ethernet frames, and the gateway routes packets (tun).`)
        : readListed(directive, place);
    case "auth-retry":
      return args[0] === "interact" ? drop("nobody is there to be asked") : readListed(directive, place);
    case "ncp-ciphers":
      return readListed({ ...directive, name: "data-ciphers" }, place);
    case "ignore-unknown-option":
      for (const word of args) draft.mayBeUnknown.add(word);
      return undefined;
    case "setenv":
      return args[0] === "opt" && args.length > 1
        ? readOptional({ line, name: withoutDashes(args[1]!), args: args.slice(2) }, place)
        : drop("no program is there to read it");
    case "setenv-safe":
      return drop("no program is there to read it");
    default:
      return readListed(directive, place);
  }
}

/** `setenv opt …`: OpenVPN obeys it if it knows it. */
function readOptional(directive: Directive, place: Place): void {
  place.draft.mayBeUnknown.add(directive.name);
  readDirective(directive, place);
}

function readListed({ line, name, args }: Directive, { draft, connection, told }: Place): void {
  const verdict = judge(name, args);
  switch (verdict.kind) {
    case "refused":
      return told.refuse(line, verdict.problem);
    case "unknown":
      return draft.mayBeUnknown.has(name)
        ? told.note("unknown", `Line ${line} is left out: the file says itself that it may not be understood.`)
        : told.refuse(line, problemOfUnknown(name));
    case "dropped":
      return told.note(name, verdict.note);
    case "kept":
      if (connection)
        return told.note("connection", `Line ${line} is left out: in <connection> only the way to the server counts.`);
      if (isLonger(lineOf([name, ...args]), mostBytesOfLine))
        return told.refuse(line, `${name} is refused: OpenVPN reads no lines of more than ${mostBytesOfLine} bytes.`);
      if (verdict.note) told.note(name, verdict.note);
      if (name === "peer-fingerprint") draft.fingerprints.add(args[0]!.toUpperCase());
      else draft.directives.set(name, args);
  }
}

const putInline = (name: string): string =>
  `${name} names another file, and only this one is read. Put the file's content inline, between <${name}> and </${name}>.`;

/** `tls-auth [inline] 1` is how older programs announce a block that follows. */
function readFileName({ line, name, args }: Directive, { draft, told }: Place): void {
  if (args[0] !== "[inline]") return told.refuse(line, putInline(name));
  if (name === "tls-auth" && /^[01]$/.test(args[1] ?? "")) draft.directives.set("key-direction", [args[1]!]);
}

const protocols: ReadonlyMap<string, Protocol> = new Map([
  ...["udp", "udp4", "udp6"].map((name) => [name, "udp"] as const),
  ...["tcp", "tcp4", "tcp6", "tcp-client", "tcp4-client", "tcp6-client"].map((name) => [name, "tcp"] as const),
]);

/** Where the server is: `remote host [port] [proto]`, and what holds for remotes that do not say. */
function readWay({ line, name, args }: Directive, connection: Connection, told: Findings): void {
  const [first = "", ...more] = args;
  const [port, protocol, ...rest] = name === "remote" ? more : name === "proto" ? [undefined, first] : [first];
  if (rest.length > 0 || (name !== "remote" && more.length > 0) || first === "")
    return told.refuse(line, `${name} is not followed by what OpenVPN 2.6 expects there.`);
  const portNumber = port === undefined ? null : wholeNumber(port, 1, 65_535);
  if (portNumber === undefined) return told.refuse(line, `${name} has a port that is no number from 1 to 65535.`);
  const known = protocol === undefined ? null : protocols.get(protocol);
  if (known === undefined)
    return told.refuse(line, `${name} has a protocol that is none of a client's: udp, tcp and their relatives.`);
  if (name !== "remote") {
    connection.port = portNumber ?? connection.port;
    connection.protocol = known ?? connection.protocol;
    return undefined;
  }
  const host = hostIn(/^\[.*:.*\]$/.test(first) ? first.slice(1, -1) : first);
  if (host === undefined) return told.refuse(line, "remote has no host name and no address that a server can have.");
  connection.remotes.push({ line, host, port: portNumber, protocol: known });
}

function readInline({ line, tag, lines }: Extract<Item, { kind: "block" }>, draft: Draft, told: Findings): void {
  if (tag === "connection") return readConnection({ line, lines }, draft, told);
  if (tag === "auth-user-pass") return readCredentials({ line, lines }, draft, told);
  if (tag === "peer-fingerprint") {
    for (const [place, written] of lines.entries()) {
      if (told.isFull()) return undefined;
      const fingerprint = written.trim();
      if (fingerprint !== "" && !fingerprint.startsWith("#"))
        readListed({ line: line + 1 + place, name: tag, args: [fingerprint] }, { draft, connection: null, told });
    }
    return undefined;
  }
  if (!isBlockName(tag)) {
    const verdict = judge(tag, []);
    return told.refuse(
      line,
      verdict.kind === "refused" ? verdict.problem : "This block is none that a client's file has.",
    );
  }
  const block = readBlock(tag, lines);
  if (block.kind === "refused") return told.refuse(line, block.problem);
  if (draft.blocks.has(tag)) told.note(`<${tag}>`, `Line ${line} opens <${tag}> once more; the last one counts.`);
  draft.blocks.set(tag, block.text);
}

interface Inside {
  readonly line: number;
  readonly lines: readonly string[];
}

function readConnection({ line, lines }: Inside, draft: Draft, told: Findings): void {
  const connection: Connection = { remotes: [], port: null, protocol: null };
  for (const item of itemsOf(lines)) {
    if (told.isFull()) return undefined;
    const within = { ...item, line: item.line + line };
    if (within.kind === "block") told.refuse(within.line, "A block stands inside <connection>. Put it outside.");
    else if (within.kind === "refused") told.refuse(within.line, within.problem);
    else readDirective(within, { draft, connection, told });
  }
  if (connection.remotes.length !== 1) return told.refuse(line, "<connection> has to have exactly one remote.");
  const [remote] = connection.remotes;
  draft.remotes.push({
    ...remote!,
    port: remote!.port ?? connection.port,
    protocol: remote!.protocol ?? connection.protocol,
  });
}

/** The first line is the name and the second the password, with every space in them. */
function readCredentials({ line, lines }: Inside, draft: Draft, told: Findings): void {
  const [username = "", password = "", ...more] = lines;
  if (more.some((rest) => rest.trim() !== ""))
    return told.refuse(line, "<auth-user-pass> has more than a name and a password.");
  if (username === "") return told.refuse(line, "<auth-user-pass> has no name in its first line.");
  if ([username, password].some((text) => isLonger(text, mostBytesOfLine)))
    return told.refuse(line, "<auth-user-pass> has a name or a password that is too long for OpenVPN.");
  draft.asksForCredentials = true;
  if (password === "") told.note("password", "<auth-user-pass> has no password; both have to be given separately.");
  draft.credentials = password === "" ? null : { username, password };
}

function remotesOf(draft: Draft, told: Findings): OpenvpnProfile["remotes"] {
  const remotes = draft.remotes.map(({ host, port, protocol }) => ({
    host,
    port: port ?? draft.port ?? 1194,
    protocol: protocol ?? draft.protocol ?? ("udp" as const),
  }));
  const { forced } = draft;
  const left = forced ? remotes.filter(({ protocol }) => protocol === forced) : remotes;
  if (left.length > mostRemotes) told.refuse(null, `The file has more than ${mostRemotes} remotes.`);
  if (left.length < remotes.length)
    told.note("proto-force", `Only the remotes of ${forced} are taken, as proto-force says.`);
  return left;
}

const mostRemotes = 64;

function checkWhole(draft: Draft, remotes: OpenvpnProfile["remotes"], told: Findings): void {
  const has = (name: BlockName) => draft.blocks.has(name);
  if (told.refusals.length > 0) return;
  if (remotes.length === 0) told.refuse(null, "The file has no remote, so the tunnel would lead nowhere.");
  if (!has("ca") && !has("pkcs12") && draft.fingerprints.size === 0)
    told.refuse(null, "The file has no <ca>, so anybody could pose as the server.");
  if (draft.directives.has("fragment") && remotes.some(({ protocol }) => protocol === "tcp"))
    told.refuse(null, "The file has fragment and a remote with tcp; OpenVPN starts with one of them only.");
  if ((["tls-auth", "tls-crypt", "tls-crypt-v2"] as const).filter(has).length > 1)
    told.refuse(null, "Of <tls-auth>, <tls-crypt> and <tls-crypt-v2> only one may be given.");
  if (!has("cert") && !has("pkcs12") && !has("key") && !draft.asksForCredentials)
    told.refuse(
      null,
      "The file has no <cert> and <key> and no auth-user-pass, so the server could not know who calls.",
    );
  if (has("key") && !has("cert")) told.refuse(null, "The file has a <key> without its <cert>.");
  if (has("cert") && !has("key")) told.note("key", "The file has no <key>; it has to be given separately.");
  if (!nameChecks.some((name) => draft.directives.has(name)) && draft.fingerprints.size === 0)
    told.note(
      "who",
      "Nothing says what the server's certificate has to be: any certificate of the same <ca> can pose as the server. Add `remote-cert-tls server`.",
    );
}

const nameChecks = ["remote-cert-tls", "remote-cert-eku", "remote-cert-ku", "verify-x509-name", "ns-cert-type"];

function profileOf(draft: Draft, remotes: OpenvpnProfile["remotes"]): OpenvpnProfile {
  const blocks = [...draft.blocks];
  return {
    remotes,
    directives: [
      ...[...draft.directives].map(([name, args]) => ({ name, args })),
      ...[...draft.fingerprints].map((fingerprint) => ({ name: "peer-fingerprint", args: [fingerprint] })),
    ],
    blocks: Object.fromEntries(blocks.filter(([name]) => !isSecretBlock(name))),
    secretBlocks: Object.fromEntries(blocks.filter(([name]) => isSecretBlock(name))),
    asksForCredentials: draft.asksForCredentials,
    credentials: draft.credentials,
  };
}
