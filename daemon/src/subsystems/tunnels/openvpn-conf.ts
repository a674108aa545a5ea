import { because } from "@portcullis/contract/reason";
import { readBlock, type BlockName, isBlockName, isSecretBlock } from "./openvpn-blocks.ts";
import { classify, fileDirectives, leftOut, type LeftOut, problemOfUnknown } from "./openvpn-directives.ts";
import { type Item, itemsOf, withoutDashes } from "./openvpn-items.ts";
import { isLonger, lineOf, maxLineBytes } from "./openvpn-lexer.ts";
import { collectFindings, type Findings, linesOf, onOneLine, wholeNumber } from "./file-text.ts";
import { hostIn } from "./host.ts";
import type { OpenvpnProfile, ParseResult } from "./profile.ts";

/**
 * Parses the `.ovpn` file of a TLS client. Directives that the gateway decides itself are left out with a note; directives
 * that run programs, access files or are unknown are refused. No refusal quotes an argument.
 */
export function parseOpenvpnConf(text: string): ParseResult<OpenvpnProfile> {
  const found = linesOf(text);
  if (found.kind === "refused") return found;
  const findings = collectFindings();
  const draft = emptyDraft();
  for (const item of itemsOf(found.lines)) {
    if (findings.isFull()) break;
    readItem(item, draft, findings);
  }
  const remotes = remotesOf(draft, findings);
  checkWhole(draft, remotes, findings);
  if (findings.refusals.length > 0) return { kind: "refused", refusals: findings.refusals };
  return { kind: "read", profile: profileOf(draft, remotes), notes: findings.notes() };
}

/** The profile in OpenVPN's format. Secrets are replaced by a comment with `secretNote`. */
export function renderOpenvpnConf(profile: OpenvpnProfile, secretNote: string): string {
  const secret = (name: string) => `# ${name}: ${onOneLine(secretNote)}`;
  return [
    ...profile.directives.map(({ name, args }) => lineOf([name, ...args])),
    ...profile.remotes.map(({ host, port, protocol }) => lineOf(["remote", host, String(port), protocol])),
    ...(profile.credentials ? [secret("auth-user-pass")] : []),
    ...(profile.requiresCredentials ? ["auth-user-pass"] : []),
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

/** The remotes of the whole file, or of one `<connection>`. */
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
  requiresCredentials: boolean;
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
  requiresCredentials: false,
  credentials: null,
  mayBeUnknown: new Set(),
});

function readItem(item: Item, draft: Draft, findings: Findings): void {
  switch (item.kind) {
    case "refused":
      return findings.refuse(item.line, item.problem);
    case "directive":
      return readDirective(item, { draft, connection: null, findings });
    case "block":
      return readInline(item, draft, findings);
  }
}

interface Directive {
  readonly line: number;
  readonly name: string;
  readonly args: readonly string[];
}

interface Context {
  readonly draft: Draft;
  /** The `<connection>` that contains the directive. */
  readonly connection: Connection | null;
  readonly findings: Findings;
}

function readDirective(directive: Directive, context: Context): void {
  const { line, name, args } = directive;
  const { draft, findings } = context;
  const drop = (code: LeftOut) => findings.note(name, leftOut(name, code));
  if (fileDirectives.includes(name)) return readFileName(directive, context);
  switch (name) {
    case "remote":
    case "port":
    case "rport":
    case "proto":
      return readRemote(directive, context.connection ?? draft, findings);
    case "proto-force":
      draft.forced = protocols.get(args[0] ?? "") ?? null;
      return draft.forced ? undefined : findings.refuse(line, "proto-force is followed by udp or tcp.");
    case "auth-user-pass":
      if (args.length > 0) return findings.refuse(line, putInline(name));
      draft.requiresCredentials = true;
      return undefined;
    case "script-security":
      return /^[01]$/.test(args[0] ?? "")
        ? drop("left_out_no_program")
        : findings.refuse(line, "script-security is refused: it would allow programs to be run on the gateway.");
    case "mode":
      return args[0] === "p2p"
        ? drop("left_out_client_default")
        : findings.refuse(
            line,
            "mode is refused: it would make the gateway a server, and the tunnel must be a client.",
          );
    case "dev":
    case "dev-type":
      return args[0]?.toLowerCase().startsWith("tap")
        ? findings.refuse(
            line,
            `${name} tap is refused: it transports Ethernet frames, and the gateway routes packets (tun).`,
          )
        : readListed(directive, context);
    case "auth-retry":
      return args[0] === "interact" ? drop("left_out_no_prompt") : readListed(directive, context);
    case "ncp-ciphers":
      return readListed({ ...directive, name: "data-ciphers" }, context);
    case "ignore-unknown-option":
      for (const word of args) draft.mayBeUnknown.add(word);
      return undefined;
    case "setenv":
      return args[0] === "opt" && args.length > 1
        ? readOptional({ line, name: withoutDashes(args[1]!), args: args.slice(2) }, context)
        : drop("left_out_unread");
    case "setenv-safe":
      return drop("left_out_unread");
    default:
      return readListed(directive, context);
  }
}

/** `setenv opt …`: OpenVPN ignores it if it does not know it. */
function readOptional(directive: Directive, context: Context): void {
  context.draft.mayBeUnknown.add(directive.name);
  readDirective(directive, context);
}

function readListed({ line, name, args }: Directive, { draft, connection, findings }: Context): void {
  const verdict = classify(name, args);
  switch (verdict.kind) {
    case "refused":
      return findings.refuse(line, verdict.problem);
    case "unknown":
      return draft.mayBeUnknown.has(name)
        ? findings.note("unknown", because("import_optional", { line }))
        : findings.refuse(line, problemOfUnknown(name));
    case "dropped":
      return findings.note(name, verdict.note);
    case "kept":
      if (connection) return findings.note("connection", because("import_in_connection", { line }));
      if (isLonger(lineOf([name, ...args]), maxLineBytes))
        return findings.refuse(line, `${name} is refused: OpenVPN reads no lines of more than ${maxLineBytes} bytes.`);
      if (verdict.note) findings.note(name, verdict.note);
      if (name === "peer-fingerprint") draft.fingerprints.add(args[0]!.toUpperCase());
      else draft.directives.set(name, args);
  }
}

const putInline = (name: string): string =>
  `${name} refers to another file, and only this one is read. Put the file's content inline, between <${name}> and </${name}>.`;

/** `tls-auth [inline] 1`: the announcement of a block by older programs. */
function readFileName({ line, name, args }: Directive, { draft, findings }: Context): void {
  if (args[0] !== "[inline]") return findings.refuse(line, putInline(name));
  if (name === "tls-auth" && /^[01]$/.test(args[1] ?? "")) draft.directives.set("key-direction", [args[1]!]);
}

const protocols: ReadonlyMap<string, Protocol> = new Map([
  ...["udp", "udp4", "udp6"].map((name) => [name, "udp"] as const),
  ...["tcp", "tcp4", "tcp6", "tcp-client", "tcp4-client", "tcp6-client"].map((name) => [name, "tcp"] as const),
]);

/** `remote host [port] [proto]`, and the defaults of remotes without port or protocol. */
function readRemote({ line, name, args }: Directive, connection: Connection, findings: Findings): void {
  const [first = "", ...more] = args;
  const [port, protocol, ...rest] = name === "remote" ? more : name === "proto" ? [undefined, first] : [first];
  if (rest.length > 0 || (name !== "remote" && more.length > 0) || first === "")
    return findings.refuse(line, `${name} has arguments that OpenVPN 2.6 does not accept.`);
  const portNumber = port === undefined ? null : wholeNumber(port, 1, 65_535);
  if (portNumber === undefined)
    return findings.refuse(line, `${name} has a port that is not a number from 1 to 65535.`);
  const known = protocol === undefined ? null : protocols.get(protocol);
  if (known === undefined)
    return findings.refuse(
      line,
      `${name} has a protocol that a client does not support: it must be udp, tcp or a variant.`,
    );
  if (name !== "remote") {
    connection.port = portNumber ?? connection.port;
    connection.protocol = known ?? connection.protocol;
    return undefined;
  }
  const host = hostIn(/^\[.*:.*\]$/.test(first) ? first.slice(1, -1) : first);
  if (host === undefined) return findings.refuse(line, "remote has no valid host name and no valid server address.");
  connection.remotes.push({ line, host, port: portNumber, protocol: known });
}

function readInline({ line, tag, lines }: Extract<Item, { kind: "block" }>, draft: Draft, findings: Findings): void {
  if (tag === "connection") return readConnection({ line, lines }, draft, findings);
  if (tag === "auth-user-pass") return readCredentials({ line, lines }, draft, findings);
  if (tag === "peer-fingerprint") {
    for (const [index, written] of lines.entries()) {
      if (findings.isFull()) return undefined;
      const fingerprint = written.trim();
      if (fingerprint !== "" && !fingerprint.startsWith("#"))
        readListed({ line: line + 1 + index, name: tag, args: [fingerprint] }, { draft, connection: null, findings });
    }
    return undefined;
  }
  if (!isBlockName(tag)) {
    const verdict = classify(tag, []);
    return findings.refuse(
      line,
      verdict.kind === "refused" ? verdict.problem : "This block is not supported in a client's file.",
    );
  }
  const block = readBlock(tag, lines);
  if (block.kind === "refused") return findings.refuse(line, block.problem);
  if (draft.blocks.has(tag)) findings.note(`<${tag}>`, because("import_repeated", { line, what: `<${tag}>` }));
  draft.blocks.set(tag, block.text);
}

interface Inside {
  readonly line: number;
  readonly lines: readonly string[];
}

function readConnection({ line, lines }: Inside, draft: Draft, findings: Findings): void {
  const connection: Connection = { remotes: [], port: null, protocol: null };
  for (const item of itemsOf(lines)) {
    if (findings.isFull()) return undefined;
    const within = { ...item, line: item.line + line };
    if (within.kind === "block") findings.refuse(within.line, "There is a block inside <connection>. Move it outside.");
    else if (within.kind === "refused") findings.refuse(within.line, within.problem);
    else readDirective(within, { draft, connection, findings });
  }
  if (connection.remotes.length !== 1) return findings.refuse(line, "<connection> must have exactly one remote.");
  const [remote] = connection.remotes;
  draft.remotes.push({
    ...remote!,
    port: remote!.port ?? connection.port,
    protocol: remote!.protocol ?? connection.protocol,
  });
}

/** The first line is the username and the second the password, including spaces. */
function readCredentials({ line, lines }: Inside, draft: Draft, findings: Findings): void {
  const [username = "", password = "", ...more] = lines;
  if (more.some((rest) => rest.trim() !== ""))
    return findings.refuse(line, "<auth-user-pass> has more than a username and a password.");
  if (username === "") return findings.refuse(line, "<auth-user-pass> has no username in its first line.");
  if ([username, password].some((text) => isLonger(text, maxLineBytes)))
    return findings.refuse(line, "<auth-user-pass> has a username or a password that is too long for OpenVPN.");
  draft.requiresCredentials = true;
  if (password === "") findings.note("password", because("import_no_password"));
  draft.credentials = password === "" ? null : { username, password };
}

function remotesOf(draft: Draft, findings: Findings): OpenvpnProfile["remotes"] {
  const remotes = draft.remotes.map(({ host, port, protocol }) => ({
    host,
    port: port ?? draft.port ?? 1194,
    protocol: protocol ?? draft.protocol ?? ("udp" as const),
  }));
  const { forced } = draft;
  const left = forced ? remotes.filter(({ protocol }) => protocol === forced) : remotes;
  if (left.length > maxRemotes) findings.refuse(null, `The file has more than ${maxRemotes} remotes.`);
  if (left.length < remotes.length) findings.note("proto-force", because("import_forced", { protocol: forced! }));
  return left;
}

const maxRemotes = 64;

function checkWhole(draft: Draft, remotes: OpenvpnProfile["remotes"], findings: Findings): void {
  const has = (name: BlockName) => draft.blocks.has(name);
  if (findings.refusals.length > 0) return;
  if (remotes.length === 0) findings.refuse(null, "The file has no remote.");
  if (!has("ca") && !has("pkcs12") && draft.fingerprints.size === 0)
    findings.refuse(null, "The file has no <ca>, so that the server could not be authenticated.");
  if (draft.directives.has("fragment") && remotes.some(({ protocol }) => protocol === "tcp"))
    findings.refuse(null, "The file has fragment and a remote with tcp, which OpenVPN does not combine.");
  if ((["tls-auth", "tls-crypt", "tls-crypt-v2"] as const).filter(has).length > 1)
    findings.refuse(null, "Of <tls-auth>, <tls-crypt> and <tls-crypt-v2> only one may be given.");
  if (!has("cert") && !has("pkcs12") && !has("key") && !draft.requiresCredentials)
    findings.refuse(
      null,
      "The file has no <cert> and <key> and no auth-user-pass, so that the server could not authenticate the client.",
    );
  if (has("key") && !has("cert")) findings.refuse(null, "The file has a <key> without its <cert>.");
  if (has("cert") && !has("key")) findings.note("key", because("import_no_key", { key: "<key>" }));
  if (!nameChecks.some((name) => draft.directives.has(name)) && draft.fingerprints.size === 0)
    findings.note("who", because("import_server_unchecked"));
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
    requiresCredentials: draft.requiresCredentials,
    credentials: draft.credentials,
  };
}
