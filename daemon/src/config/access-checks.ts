import { type Cidr, contains, parseAddress, parseCidr } from "@portcullis/contract/addresses";
import { parseListenAddress } from "./formats.ts";
import type { Bootstrap } from "./keys.ts";
import type { Finding } from "./mistake.ts";

/** Settings of access that are well formed and still cannot be meant: each would let strangers in. */
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
        "would let passwords and keys cross the network in the clear; leave it out, or listen on 127.0.0.1 behind a proxy of this machine",
    });
  if (isPublic(parseCidr(auth.local_net)))
    findings.push({
      pointer: "/auth/local_net",
      at: "value",
      message: `covers networks that are not yours (${auth.local_net}); name your LAN, or "" for none`,
    });
  return findings;
}

/** Things an operator should know of, and may have reasons for. `mode` is that of the file. */
export function accessWarnings({ auth }: Bootstrap, file: string, mode: number): string[] {
  const weak = auth.api_keys
    .map(({ key, name }, place) => ({ key, name, place }))
    .filter(({ key }) => isWeak(key))
    .map(
      ({ name, place }) =>
        `auth.api_keys[${place}] (${name}) is easy to guess; openssl rand -hex 32 makes a better one`,
    );
  const readable = auth.api_keys.length > 0 && (mode & 0o044) !== 0;
  return [...(readable ? [`${file} has keys in it and others than its owner can read it; chmod 600 it`] : []), ...weak];
}

/** A name counts as beyond, unless it is localhost. */
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
/** A site may have public addresses of its own, but not more than these. */
const widestSite = { 4: 16, 6: 48 } as const;

function isPublic(network: Cidr | undefined): boolean {
  if (!network) return false;
  const { family, base, bits } = network;
  const isWithin = (outer: Cidr) => outer.bits <= bits && contains(outer, { family, value: base });
  return bits < widestSite[family] && ![...loopback, ...private_].some(isWithin);
}

/** Bits, if every character had been drawn from those that occur: an upper bound, which a repeated or spoken key stays below. */
const isWeak = (key: string): boolean => key.length * Math.log2(new Set(key).size) < 80;
