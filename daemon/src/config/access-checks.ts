import { type Cidr, contains, parseAddress, parseCidr } from "../net/addresses.ts";
import { parseListenAddress } from "./formats.ts";
import type { Bootstrap } from "./keys.ts";
import type { Finding } from "./mistake.ts";

/** Access settings that are valid but insecure: each would give unauthenticated clients access. */
export function accessFindings({ listen, auth, tls }: Bootstrap, given: ReadonlySet<string>): Finding[] {
  const findings: Finding[] = [];
  if (!auth.enabled && isBeyondLoopback(listen.api_addr))
    findings.push({
      pointer: "/listen/api_addr",
      at: "value",
      message: "can be reached from other machines while auth.enabled is false; set it to true, or listen on 127.0.0.1",
    });
  if (auth.enabled && !tls.enabled && given.has("tls.enabled") && isBeyondLoopback(listen.api_addr))
    findings.push({
      pointer: "/tls/enabled",
      at: "value",
      message:
        "would send passwords and keys over the network in the clear; leave it out, or listen on 127.0.0.1 behind a proxy of this machine",
    });
  if (isPublic(parseCidr(auth.local_net)))
    findings.push({
      pointer: "/auth/local_net",
      at: "value",
      message: `covers networks that are not yours (${auth.local_net}); name your LAN, or "" for none`,
    });
  return findings;
}

/** Warnings about settings that an operator may have reasons for. `mode` is the mode of the file. */
export function accessWarnings({ auth }: Bootstrap, file: string, mode: number): string[] {
  const weak = auth.api_keys
    .map(({ key, name }, index) => ({ key, name, index }))
    .filter(({ key }) => isWeak(key))
    .map(
      ({ name, index }) =>
        `auth.api_keys[${index}] (${name}) is easy to guess; openssl rand -hex 32 generates a better one`,
    );
  const readable = auth.api_keys.length > 0 && (mode & 0o044) !== 0;
  return [...(readable ? [`${file} contains keys and is readable by other users; run chmod 600`] : []), ...weak];
}

/** A host name counts as beyond loopback, unless it is localhost. */
export function isBeyondLoopback(apiAddr: string): boolean {
  const host = parseListenAddress(apiAddr)?.host ?? "";
  const address = parseAddress(host);
  if (!address) return host.toLowerCase() !== "localhost";
  return !loopback.some((network) => contains(network, address));
}

const networks = (texts: string): Cidr[] => texts.split(" ").map((text) => parseCidr(text)!);
const loopback = networks("127.0.0.0/8 ::1/128");
/** RFC 1918, 6598, 3927 and 4193: addresses that the Internet does not route. */
const private_ = networks("10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 100.64.0.0/10 169.254.0.0/16 fc00::/7 fe80::/10");
/** Longest plausible prefix of a site's own public network. */
const widestSite = { 4: 16, 6: 48 } as const;

function isPublic(network: Cidr | undefined): boolean {
  if (!network) return false;
  const { family, base, bits } = network;
  const isWithin = (outer: Cidr) => outer.bits <= bits && contains(outer, { family, value: base });
  return bits < widestSite[family] && ![...loopback, ...private_].some(isWithin);
}

/** Upper bound of the entropy: length times the bits of the characters that occur. Repeated or readable keys stay below it. */
const isWeak = (key: string): boolean => key.length * Math.log2(new Set(key).size) < 80;
