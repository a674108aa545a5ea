import { gatewayMac } from "../topology-egresses.ts";
import type { Internet } from "../internet.ts";
import type { Host } from "../namespaces.ts";
import { startJsonScript } from "../json-script.ts";

/** The kinds of packets with which devices have ever leaked. The scripts beside this file use the same names. */
export const kinds = ["tcp", "udp", "icmp", "dns-udp", "dns-tcp", "dot", "quic", "stun"] as const;
export const families = [4, 6] as const;
export type ProbeName = `${(typeof kinds)[number]}${(typeof families)[number]}`;
export const probeNames: readonly ProbeName[] = families.flatMap((family) =>
  kinds.map((kind) => `${kind}${family}` as const),
);
export type Counts = Readonly<Partial<Record<ProbeName, number>>>;
/**
 * A DNS query goes to a server outside, and to the gateway, which resolves it. Both are one probe, and counted
 * separately.
 */
export type ForwardedQuery = `by-the-gateway-dns-${"udp" | "tcp"}${(typeof families)[number]}`;
export const forwardedQueries: readonly ForwardedQuery[] = families.flatMap((family) =>
  (["udp", "tcp"] as const).map((kind) => `by-the-gateway-dns-${kind}${family}` as const),
);

/** A device whose packets are identified wherever they are seen: each kind of probe has its own destination. */
export interface ProbeIdentity {
  readonly name: string;
  readonly domain: string;
  readonly to: Readonly<Record<"4" | "6", readonly string[]>>;
  /** A destination that an exception may open while everything else is blocked. */
  readonly portal: Readonly<Record<"4" | "6", string>>;
  /** Addresses that must not be seen anywhere, whichever host sends the packet. */
  readonly own: readonly string[];
}

/**
 * Addresses that a device takes for itself: the first is unused, the second is for a device that changes its address.
 */
export const elsewhere = { v4: ["10.0.0.177", "10.0.0.42"], v6: ["fd00::177", "fd00::42"] } as const;

/** `place`: from 0 on, which of the blocks of addresses outside is talked to. */
export function probeIdentity(name: string, index: number): ProbeIdentity {
  const number = (position: number) => 96 + 16 * index + position;
  return {
    name,
    domain: `${name}.fresh.lab`,
    to: {
      "4": kinds.map((_, position) => `203.0.113.${number(position)}`),
      "6": kinds.map((_, position) => `2001:db8:f:1::${number(position)}`),
    },
    portal: { "4": `203.0.113.${number(kinds.length)}`, "6": `2001:db8:f:1::${number(kinds.length)}` },
    own: [`10.0.0.${index + 2}`, `fd00::${index + 2}`, ...elsewhere.v4, ...elsewhere.v6],
  };
}

/** The server that probes are sent to. */
export interface ProbeServer {
  /** Ends all connections. A connection from a control would otherwise continue during the next fault. */
  readonly closeConnections: () => Promise<void>;
}

/** Starts a server on the Internet at all destinations of these devices. */
export async function startProbeServer(
  { core, web }: Internet,
  people: readonly ProbeIdentity[],
): Promise<ProbeServer> {
  for (const [family, network] of [
    ["-4", "203.0.113.96/27"],
    ["-6", "2001:db8:f:1::/64"],
  ] as const) {
    const lines = await web.run("ip", family, "-o", "address", "show", "dev", "eth0", "scope", "global");
    await core.run("ip", "route", "add", network, "via", / inet6? ([^/]+)\//.exec(lines)![1]!);
    await web.run("ip", "route", "add", "local", network, "dev", "lo");
  }
  const places = people.flatMap(({ to }) => [to["4"], to["6"]]);
  const script = await startJsonScript(web, "leaks/probe-server.py", JSON.stringify(places));
  return {
    closeConnections: async () => {
      await script.request("close");
      // It knows only of calls it has taken. Others, made in the last moment, would be answered again and again, and refused by the
      // gateway's kernel should a fault take all rules away meanwhile. What came of the control before is not that fault's.
      await web.run("ss", "-K", "-Htn", "state", "connected");
    },
  };
}

export interface Sender {
  /** What was sent and answered since the phase began. */
  readonly report: () => Promise<SenderReport>;
  /** DNS queries contain its number. */
  readonly begin: (phase: number) => Promise<SenderReport>;
  /** From now on it has another MAC, or other addresses; its host has them already. */
  readonly become: (who: {
    readonly mac?: string;
    readonly v4?: string;
    readonly v6?: string;
  }) => Promise<SenderReport>;
  /** Adds destinations: UDP, TCP and ICMP, with its marks; to port 53 DNS queries, by UDP and TCP. */
  readonly alsoTo: (places: readonly (readonly [address: string, port: number])[]) => Promise<SenderReport>;
  readonly stop: () => Promise<SenderReport>;
}

export interface SenderReport {
  readonly sent: Counts;
  /** `names4`, `names6`: by the gateway's resolver, without an error. */
  readonly answered: Counts & { readonly names4?: number; readonly names6?: number };
}

/** All probes together, without pause. */
export async function startSender(
  device: Host,
  mac: string,
  person: ProbeIdentity,
  perSecond: number,
): Promise<Sender> {
  const me = {
    ...person,
    gatewayMac,
    interface: "eth0",
    mac,
    v4: person.own[0],
    v6: person.own[1],
    gateway: { "4": "10.0.0.1", "6": "fd00::1" },
    perSecond,
  };
  const script = await startJsonScript(device, "leaks/probes.py", JSON.stringify(me));
  const request = async (words: unknown) => (await script.request(JSON.stringify(words))) as SenderReport;
  return {
    report: () => request("report"),
    begin: (phase) => request({ phase }),
    become: (who) => request({ become: who }),
    alsoTo: (places) => request({ also: places }),
    stop: () => request("stop"),
  };
}
