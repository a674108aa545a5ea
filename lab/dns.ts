import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import type { Host } from "./namespaces.ts";

interface KdigAnswer {
  readonly status: string;
  /** The resolver has checked the signatures. */
  readonly isAuthentic: boolean;
  /** TTL, type and data of each record of the answer. */
  readonly records: readonly string[];
  /** The extended errors it gave as reasons. */
  readonly reasons: readonly string[];
  readonly ms: number;
}

/** For a query that is repeated anyway: a server that is just starting may lose it. */
export const soon = "+timeout=1";

/** Sends one query to a resolver, by default on the host's loopback. */
export async function query(
  host: Host,
  resolver: ResolverAddress,
  name: string,
  type = "A",
  ...words: string[]
): Promise<KdigAnswer> {
  const { address, port } = typeof resolver === "number" ? { address: "127.0.0.1", port: resolver } : resolver;
  const args = [`@${address}`, "-p", String(port), name, type, "+dnssec", "+retry=0", "+timeout=10", ...words];
  const text = await host.run("kdig", ...args).catch((error: { stdout?: string }) => error.stdout ?? "");
  const records = /;; ANSWER SECTION:\n((?:[^;\n].*\n)*)/.exec(text)?.[1] ?? "";
  return {
    status: /status: (\w+)/.exec(text)?.[1] ?? "silence",
    isAuthentic: /;; Flags:[^;]* ad\b/.test(text),
    records: records
      .split("\n")
      .map((line) => line.trimEnd().split(/\s+/))
      .filter(([, , , kind = "RRSIG"]) => kind !== "RRSIG")
      .map(([, ttl, , kind, ...data]) => [ttl, kind, ...data].join(" ")),
    reasons: [...text.matchAll(/;; EDE: (.*)/g)].map(([, reason]) => reason!),
    ms: Number(/ in ([\d.]+) ms/.exec(text)?.[1] ?? Number.NaN),
  };
}

/** Sends a datagram on the host's own loopback, and returns the response. */
export const datagramRequest =
  (host: Host) =>
  async (port: number, words: Uint8Array, limitMs: number): Promise<Uint8Array> => {
    const args = [Buffer.from(words).toString("hex"), String(port), String(limitMs / 1000)];
    return Buffer.from((await host.run("python3", "-c", datagram, ...args)).trim(), "hex");
  };
const datagram = `import socket, sys
one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
one.settimeout(float(sys.argv[3]))
one.sendto(bytes.fromhex(sys.argv[1]), ("127.0.0.1", int(sys.argv[2])))
print(one.recv(4096).hex())`;

type ResolverAddress = number | { readonly address: string; readonly port: number };

export interface SignedRoot {
  /** The DS record of its key, as a trust anchor. */
  readonly anchor: string;
  readonly file: string;
  /** Writes the zone anew, with signatures that hold from and until so many days from now. */
  sign(fromDays: number, untilDays: number): void;
}

/** A root of our own: what is in `forged.` was changed after it had been signed. */
export function signedRoot(folder: string, zone: string): SignedRoot {
  const run = (...[command, ...args]: [string, ...string[]]) =>
    execFileSync(command, args, { cwd: folder, encoding: "utf8", stdio: "pipe" });
  const key = run("ldns-keygen", "-a", "ECDSAP256SHA256", "-k", ".").trim();
  const file = `${folder}/root.zone.signed`;
  writeFileSync(`${folder}/root.zone`, zone);
  return {
    anchor: readFileSync(`${folder}/${key}.ds`, "utf8").trim().replace(/\s+/g, " "),
    file,
    sign: (fromDays, untilDays) => {
      run("ldns-signzone", "-i", dayFromNow(fromDays), "-e", dayFromNow(untilDays), "-o", ".", "root.zone", key);
      const text = readFileSync(file, "utf8");
      writeFileSync(file, text.replace(/^(forged\.\s.*\sA\s+)192\.0\.2\.\d+$/m, "$1192.0.2.66"));
    },
  };
}

const dayFromNow = (days: number): string =>
  new Date(Date.now() + days * 86_400_000).toISOString().replace(/\D/g, "").slice(0, 14);
