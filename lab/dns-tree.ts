import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../testing/folder.ts";
import { server } from "./topology-devices.ts";

/**
 * A DNS tree with a root of its own, which every resolver of the lab serves, and the authority for its certificates.
 * The root is signed and contains all names of `lab.` except those below `fresh.lab`, `many.lab` and `alias.lab`, which
 * are unsigned zones: a validator may synthesize answers from a signed wildcard, and then a fresh name would cause no
 * query.
 */
export interface DnsTree extends Disposable {
  readonly folder: string;
  /** The root's DS record, in the form of a zone file. */
  readonly anchor: string;
  readonly caFile: string;
  /** Signs again, as if the signer's clock were this many days ahead of ours. Servers read the zone on restart. */
  sign(daysAhead: number): void;
  /** A certificate with its key, of this authority or of an untrusted one. */
  certificate(name: string, wanted: Certificate): { readonly cert: string; readonly key: string };
  /** Lays the authority and the anchor where the programs of a network namespace look for them. */
  trustedIn(namespace: string): void;
}

export interface Certificate {
  readonly names: readonly string[];
  readonly addresses: readonly string[];
  readonly isTrusted?: boolean;
}

interface Options {
  /** How many names `n0.many.lab`, `n1.many.lab` and so on there are, each with addresses of its own. */
  readonly many?: number;
  /** Names of `alias.lab` → their targets. They are not signed. */
  readonly aliases?: Readonly<Record<string, string>>;
}

/** The addresses of `many.lab`. Public ones: rebinding protection would remove private ones. */
export const manyNetworks = { v4: "45.64.0.0/16", v6: "2600:64::/64" } as const;
const manyAddresses = (index: number) => ({
  v4: `45.64.${index >> 8}.${index & 255}`,
  v6: `2600:64::${(index + 1).toString(16)}`,
});

function withAddresses(name: string, index: number): string {
  const { v4, v6 } = manyAddresses(index);
  return `${name} 300 A ${v4}\n${name} 300 AAAA ${v6}\n`;
}
/** Beyond all that are counted. */
const [elsewhere, common] = [0xfe01, 0xfe02];

export function openDnsTree({ many = 100, aliases = {} }: Options = {}): DnsTree {
  const folder = temporaryFolder();
  chmodSync(folder.path, 0o755);
  const inFolder = (name: string) => join(folder.path, name);
  const keys = ["-k", ""].map((flag) => ldns(folder.path, "ldns-keygen", "-a", "ECDSAP256SHA256", flag, "."));
  writeFileSync(inFolder("root.zone"), rootZone);
  writeFileSync(inFolder("fresh.zone"), freshZone);
  writeFileSync(inFolder("many.zone"), manyZone(many));
  writeFileSync(inFolder("alias.zone"), aliasZone(aliases));
  const sign = (daysAhead: number) => {
    const [begin, end] = [daysAhead - 5, daysAhead + 15].map((days) =>
      new Date(Date.now() + 86_400_000 * days).toISOString().replaceAll(/\D/g, "").slice(0, 14),
    ) as [string, string];
    ldns(folder.path, "ldns-signzone", "-i", begin, "-e", end, "-o", ".", "-f", "signed", "root.zone", ...keys);
    // A forged address in place of the signed one.
    const signed = readFileSync(inFolder("signed"), "utf8");
    writeFileSync(inFolder("root.signed"), signed.replaceAll(/^(forged\.lab\.\t.*\tA\t).*$/gm, `$1${forgedAddress}`));
  };
  sign(0);
  for (const authority of ["ca", "unknown"]) makeAuthority(folder.path, authority);
  return {
    folder: folder.path,
    anchor: readFileSync(inFolder(`${keys[0]}.ds`), "utf8").trim(),
    caFile: inFolder("ca.crt"),
    sign,
    certificate: (name, wanted) => makeCertificate(folder.path, name, wanted),
    trustedIn: (namespace) => {
      for (const [index, text] of [
        ["ssl/certs/ca-certificates.crt", readFileSync(inFolder("ca.crt"), "utf8")],
        ["unbound/root.key", `${readFileSync(inFolder(`${keys[0]}.ds`), "utf8")}`],
      ] as const) {
        const file = join("/etc/netns", namespace, index);
        mkdirSync(join(file, ".."), { recursive: true });
        writeFileSync(file, text);
      }
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

/** Zone files as NSD wants them, by name of the zone. */
export const zoneFiles = {
  ".": "root.signed",
  "fresh.lab": "fresh.zone",
  "many.lab": "many.zone",
  "alias.lab": "alias.zone",
} as const;

export const forgedAddress = "203.0.113.66";
const addresses = (name: string, ttlSec: number) =>
  `${name} ${ttlSec} A ${server.v4}\n${name} ${ttlSec} AAAA ${server.v6}\n`;
const start = (name: string) => `${name} 3600 SOA a.root-servers.net. hostmaster.lab. 1 3600 600 86400 30
${name} 3600 NS a.root-servers.net.
`;
const hop = (from: string, to: string) => `${from}.lab. 60 CNAME ${to}.lab.\n`;

const rootZone = [
  start("."),
  "a.root-servers.net. 3600 A 198.51.100.1\n",
  ...["fresh", "many", "alias"].map((zone) => `${zone}.lab. 3600 NS a.root-servers.net.\n`),
  addresses("signed.lab.", 60),
  addresses("*.signed.lab.", 60),
  addresses("forged.lab.", 60),
  addresses("short.lab.", 1),
  addresses("long.lab.", 86_400),
  // A CNAME chain, a CNAME loop, and a CNAME that hides a tracker.
  ...["chain", "chain1", "chain2", "chain3"].map((name, index) => hop(name, `chain${index + 1}`)),
  addresses("chain4.lab.", 60),
  hop("circle", "circle1"),
  hop("circle1", "circle"),
  hop("cloaked", "tracker"),
  addresses("tracker.lab.", 60),
  // Into many.lab, out of it, and one that has an address in common with a name there.
  hop("into", "n3.many"),
  withAddresses("elsewhere.lab.", elsewhere),
  withAddresses("shared.lab.", common),
  // Names outside that lead inside.
  "private.lab. 60 A 10.0.0.1\nprivate.lab. 60 A 192.168.1.1\nprivate.lab. 60 AAAA fd00::1\n",
  "loopback.lab. 60 A 127.0.0.1\nloopback.lab. 60 AAAA ::1\n",
  "mapped.lab. 60 AAAA ::ffff:10.0.0.1\n",
  hop("to-private", "private"),
  // Other types. The last one is HTTPS, with the address as a hint.
  'mail.lab. 60 MX 10 signed.lab.\nmail.lab. 60 TXT "v=spf1 -all"\n',
  "_sip._tcp.lab. 60 SRV 1 2 443 signed.lab.\n",
  ...Array.from(
    { length: 20 },
    (_, index) => `big.lab. 60 TXT "${String(index).padStart(2, "0")} ${"x".repeat(200)}"\n`,
  ),
  addresses("service.lab.", 60),
  "service.lab. 60 TYPE65 \\# 11 00010000040004cb007105\n",
].join("");

const freshZone = [
  start("fresh.lab."),
  addresses("*.fresh.lab.", 60),
  addresses("*.brief.fresh.lab.", 1),
  addresses("*.lasting.fresh.lab.", 86_400),
].join("");

const manyZone = (many: number): string =>
  [
    start("many.lab."),
    "out.many.lab. 300 CNAME elsewhere.lab.\n",
    withAddresses("shared.many.lab.", common),
    ...Array.from({ length: many }, (_, index) => withAddresses(`n${index}.many.lab.`, index)),
  ].join("");

const aliasZone = (aliases: Readonly<Record<string, string>>): string =>
  [start("alias.lab."), ...Object.entries(aliases).map(([name, target]) => `${name}. 60 CNAME ${target}.\n`)].join("");

const ldns = (cwd: string, command: string, ...args: string[]): string =>
  execFileSync(
    command,
    args.filter((it) => it !== ""),
    { cwd, encoding: "utf8" },
  ).trim();

const freshKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
const openssl = (cwd: string, ...args: string[]) => execFileSync("openssl", args, { cwd, stdio: "ignore" });

function makeAuthority(folder: string, name: string): void {
  const files = ["-keyout", `${name}.key`, "-out", `${name}.crt`];
  openssl(folder, "req", "-x509", ...freshKey, "-days", "90", "-subj", `/CN=lab ${name}`, ...files);
}

function makeCertificate(folder: string, name: string, { names, addresses: ips, isTrusted = true }: Certificate) {
  const [cert, key] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
  const altNames = [...names.map((it) => `DNS:${it}`), ...ips.map((it) => `IP:${it}`)].join(",");
  writeFileSync(join(folder, `${name}.ext`), `subjectAltName=${altNames}\nextendedKeyUsage=serverAuth\n`);
  openssl(folder, "req", ...freshKey, "-subj", `/CN=${name}`, "-keyout", key, "-out", `${name}.csr`);
  const authority = isTrusted ? "ca" : "unknown";
  const signed = ["-CA", `${authority}.crt`, "-CAkey", `${authority}.key`, "-CAcreateserial", "-days", "60"];
  openssl(folder, "x509", "-req", "-in", `${name}.csr`, ...signed, "-extfile", `${name}.ext`, "-out", cert);
  return { cert, key };
}
