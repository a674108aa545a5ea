export type Block =
  | { readonly kind: "block"; readonly text: string }
  | { readonly kind: "refused"; readonly problem: string };

/** The supported blocks, each with the format of its content. */
export type BlockName = keyof typeof forms;

export const isBlockName = (name: string): name is BlockName => Object.hasOwn(forms, name);

export const isSecretBlock = (name: BlockName): boolean => forms[name].isSecret;

/** The content in canonical form: text outside of the PEM markers (`openssl x509 -text`) is removed. */
export function readBlock(name: BlockName, lines: readonly string[]): Block {
  const block = forms[name].read(
    name,
    lines.map((line) => line.trim()),
  );
  return block.kind === "block" && block.text.length > maxBytes
    ? refused(`<${name}> is larger than ${maxBytes / 1024} KiB.`)
    : block;
}

const maxBytes = 128 * 1024;
const maxParts = 32;

interface Form {
  readonly isSecret: boolean;
  readonly read: (name: string, lines: readonly string[]) => Block;
}

const wrappedKey = "OpenVPN tls-crypt-v2 client key";

const certificates: Form["read"] = (name, lines) => pem(name, lines, ["CERTIFICATE", "X509 CERTIFICATE"]);

const forms = {
  ca: { isSecret: false, read: certificates },
  cert: { isSecret: false, read: certificates },
  "extra-certs": { isSecret: false, read: certificates },
  "crl-verify": { isSecret: false, read: (name, lines) => pem(name, lines, ["X509 CRL"]) },
  key: { isSecret: true, read: privateKey },
  "tls-auth": { isSecret: true, read: staticKey },
  "tls-crypt": { isSecret: true, read: staticKey },
  "tls-crypt-v2": { isSecret: true, read: (name, lines) => pem(name, lines, [wrappedKey]) },
  pkcs12: { isSecret: true, read: pkcs12 },
} as const satisfies Readonly<Record<string, Form>>;

function privateKey(name: string, lines: readonly string[]): Block {
  if (lines.some((line) => /^-----BEGIN ENCRYPTED PRIVATE KEY-----$|^Proc-Type:.*ENCRYPTED/.test(line)))
    return refused("<key> is encrypted with a passphrase, which cannot be entered. Decrypt it with `openssl pkey`.");
  return pem(name, lines, ["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "DSA PRIVATE KEY"]);
}

function pem(name: string, lines: readonly string[], labels: readonly string[]): Block {
  const parts = partsIn(lines);
  if (!parts) return refused(`<${name}> has BEGIN and END markers that do not match.`);
  const wanted = parts.filter(({ label }) => label !== "EC PARAMETERS");
  if (wanted.length === 0) return refused(`<${name}> has no -----BEGIN ${labels[0]}-----.`);
  if (wanted.length > maxParts) return refused(`<${name}> has more than ${maxParts} parts.`);
  if (!wanted.every(({ label }) => labels.includes(label)))
    return refused(`<${name}> contains something that is not a ${labels[0]}.`);
  if (!wanted.every(({ label, body }) => isBase64(body) && (label === wrappedKey ? isWrapped(body) : isSequence(body))))
    return refused(`<${name}> contains a corrupt part.`);
  return block(wanted.flatMap(({ label, body }) => marked(label, folded(body, 64))));
}

function staticKey(name: string, lines: readonly string[]): Block {
  const label = "OpenVPN Static key V1";
  const parts = partsIn(lines);
  if (parts?.length !== 1 || parts[0]!.label !== label)
    return refused(`<${name}> must contain one -----BEGIN ${label}----- and its END.`);
  const { body } = parts[0]!;
  if (!/^[0-9a-f]{512}$/i.test(body)) return refused(`<${name}> is corrupt: its key must have 512 hexadecimal digits.`);
  return block(marked(label, folded(body, 32)));
}

function pkcs12(name: string, lines: readonly string[]): Block {
  const body = lines.join("");
  return isBase64(body) && (isSequence(body) || isOpenSequence(body))
    ? block(folded(body, 64))
    : refused(`<${name}> is not a PKCS #12 file in base64.`);
}

interface Part {
  readonly label: string;
  readonly body: string;
}

/** The parts between markers; undefined if a marker is missing. Lines outside of markers are comments. */
function partsIn(lines: readonly string[]): readonly Part[] | undefined {
  const parts: Part[] = [];
  let open: { readonly label: string; readonly body: string[] } | null = null;
  for (const line of lines) {
    const [, edge, label = ""] = /^-----(BEGIN|END) ([A-Za-z0-9 -]{1,60})-----$/.exec(line) ?? [];
    if (edge === undefined) open?.body.push(line);
    else if (edge === "BEGIN" && !open) open = { label, body: [] };
    else if (edge === "END" && open?.label === label) {
      parts.push({ label, body: open.body.join("") });
      open = null;
    } else return undefined;
  }
  return open ? undefined : parts;
}

const isBase64 = (text: string): boolean =>
  text.length >= 16 && text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);

const bytesOf = (base64: string): Uint8Array => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

/** The client's key of 256 bytes and the wrapped key for the server, which ends with its own length. */
function isWrapped(base64: string): boolean {
  const bytes = bytesOf(base64);
  return bytes.length > 256 + 2 && bytes.at(-2)! * 256 + bytes.at(-1)! === bytes.length - 256;
}

/**
 * Certificates, keys and lists are each one SEQUENCE in DER, which starts with its length. So surplus and missing lines
 * are detected, and a line of a key cannot be part of a certificate, which is not secret.
 */
function isSequence(base64: string): boolean {
  const bytes = bytesOf(base64);
  const [tag, short = 0x80] = bytes;
  if (tag !== 0x30) return false;
  if (short < 0x80) return bytes.length === 2 + short;
  const width = short & 0x7f;
  const length = bytes.subarray(2, 2 + width).reduce((sum, byte) => sum * 256 + byte, 0);
  return width >= 1 && width <= 4 && bytes.length === 2 + width + length;
}

/** PKCS #12 files may be BER with indefinite length. */
const isOpenSequence = (base64: string): boolean => atob(base64.slice(0, 4)).startsWith("0\x80");

const marked = (label: string, body: readonly string[]): readonly string[] => [
  `-----BEGIN ${label}-----`,
  ...body,
  `-----END ${label}-----`,
];

const folded = (text: string, width: number): readonly string[] =>
  Array.from({ length: Math.ceil(text.length / width) }, (_, index) => text.slice(index * width, (index + 1) * width));

const block = (lines: readonly string[]): Block => ({ kind: "block", text: `${lines.join("\n")}\n` });

const refused = (problem: string): Block => ({ kind: "refused", problem });
