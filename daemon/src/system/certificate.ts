import { createHash, X509Certificate } from "node:crypto";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import type { System } from "./system.ts";

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

const validDays = 730;
const renewBeforeDays = 30;

/** The gateway's own certificate for people who bring none: made once, kept, and made anew before it ends. */
export async function ownCertificate(
  system: System,
  { folder, names, now }: { folder: string; names: readonly string[]; now: () => Date },
): Promise<Certificate> {
  const certPath = join(folder, "tls-cert.pem");
  const keyPath = join(folder, "tls-key.pem");
  const kept = readPair(system, certPath, keyPath);
  if (kept && endsAfter(kept.cert, new Date(now().getTime() + renewBeforeDays * 86_400_000))) return kept;
  // The key outlives its certificate: clients that pinned it accept the new one.
  const made = await makePair(system, names, kept && { path: keyPath, key: kept.key });
  system.writeAtomically(keyPath, made.key, 0o600);
  system.writeAtomically(certPath, made.cert, 0o644);
  return made;
}

export function readPair(system: System, certPath: string, keyPath: string): Certificate | undefined {
  const cert = system.readText(certPath);
  const key = system.readText(keyPath);
  return cert === undefined || key === undefined ? undefined : { cert, key };
}

/** One run of openssl: a new key comes out on standard output, so no temporary file holds it. */
async function makePair(
  system: System,
  names: readonly string[],
  kept: { readonly path: string; readonly key: string } | undefined,
): Promise<Certificate> {
  const keyOptions =
    kept === undefined
      ? ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "-"]
      : ["-key", kept.path];
  const subjects = [...names.map((name) => `DNS:${name}`), ...ownAddresses().map((address) => `IP:${address}`)];
  const options = [
    "req", "-x509", ...keyOptions, "-sha256", "-days", String(validDays), "-subj", "/CN=Portcullis", "-out", "-",
    "-addext", `subjectAltName=${subjects.join(",")}`,
    "-addext", "extendedKeyUsage=serverAuth",
    "-addext", "basicConstraints=critical,CA:FALSE",
  ]; // biome-ignore format: options and their values belong on a line
  const pem = await system.run("openssl", options);
  return { key: kept?.key ?? block(pem, "PRIVATE KEY"), cert: block(pem, "CERTIFICATE") };
}

/** What clients pin: `sha256:` and the hash of the public key in base64, as in HTTP public key pinning. */
export const pinOf = ({ cert }: Certificate): string =>
  `sha256:${createHash("sha256")
    .update(new X509Certificate(cert).publicKey.export({ type: "spki", format: "der" }))
    .digest("base64")}`;

function block(pem: string, label: string): string {
  const found = new RegExp(`-----BEGIN ${label}-----[^-]+-----END ${label}-----\\n?`).exec(pem)?.[0];
  if (found === undefined) throw new Error(`openssl gave no ${label.toLowerCase()}`);
  return found;
}

const ownAddresses = (): string[] =>
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ scopeid }) => !scopeid)
    .map(({ address }) => address);

/** One that cannot be read is made anew, too. */
function endsAfter(cert: string, moment: Date): boolean {
  try {
    return new X509Certificate(cert).validToDate > moment;
  } catch {
    return false; // Its file is damaged.
  }
}
