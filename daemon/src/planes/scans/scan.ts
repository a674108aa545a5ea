import type { Target } from "../../engines/nftables/scans/scans.parse.ts";
import { contains, parseAddress, parseCidr } from "../../net/addresses.ts";

/** Ports of one address. Browsers use two, and a UDP traceroute is left out. */
const portsOfOne = 50;
/** Addresses with one port. */
const addressesOfOne = 100;
/** Targets of any kind: what nothing but scans, file sharing and lists of game servers reach. */
const targetsInAll = 500;

/** The fewest targets that can be a scan. */
export const fewestTargets = Math.min(portsOfOne, addressesOfOne, targetsInAll);

/** Whether what one device opened connections to is a port scan. */
export function isScan(targets: readonly Target[]): boolean {
  if (targets.length >= targetsInAll) return true;
  const counted = targets.filter((it) => !isTraceroute(it));
  if (most(counted, ({ address }) => address) >= portsOfOne) return true;
  return (
    most(
      counted.filter((it) => !isOrdinary(it)),
      ({ protocol, port }) => `${protocol} ${port}`,
    ) >= addressesOfOne
  );
}

/** A few targets, as far apart as possible in the order they were recorded, as they are written everywhere. */
export function examplesOf(targets: readonly Target[], count: number): string[] {
  const step = Math.max(1, Math.floor(targets.length / count));
  const picked = targets.filter((_, index) => index % step === 0).slice(0, count);
  return picked.map(({ address, protocol, port }) =>
    address.includes(":") ? `[${address}]:${port}/${protocol}` : `${address}:${port}/${protocol}`,
  );
}

function most(targets: readonly Target[], keyOf: (target: Target) => string): number {
  const counts = new Map<string, number>();
  for (const it of targets) counts.set(keyOf(it), (counts.get(keyOf(it)) ?? 0) + 1);
  return Math.max(0, ...counts.values());
}

/** Each probe of a UDP traceroute has another port, from this one on. */
const isTraceroute = ({ protocol, port }: Target): boolean =>
  protocol === "udp" && port >= 33_434 && port < 33_434 + 256;

/** Browsers, and a resolver, open these to hundreds of public addresses. In private networks nothing does. */
const ordinary: ReadonlySet<string> = new Set(["tcp 80", "tcp 443", "udp 443", "tcp 53", "udp 53"]);
const isOrdinary = ({ protocol, port, address }: Target): boolean =>
  ordinary.has(`${protocol} ${port}`) && !isPrivate(address);

const privateNetworks = [
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "100.64.0.0/10",
  "169.254.0.0/16",
  "fc00::/7",
  "fe80::/10",
].map((it) => parseCidr(it)!);
function isPrivate(text: string): boolean {
  const address = parseAddress(text);
  return address !== undefined && privateNetworks.some((network) => contains(network, address));
}
