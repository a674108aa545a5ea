import type { CoverStats, SplittingResolver, SplittingTransport } from "@portcullis/contract/subsystems/splitting";
import type { Tunnel } from "@portcullis/contract/subsystems/tunnels";

/** How a tunnel is now. */
export type TunnelReading = Pick<SplittingTransport, "mtu" | "endpoint" | "status" | "rtt_ms" | "tx" | "rx"> & {
  /** Connections it carries, where that is counted. */
  readonly connections?: number;
};
export type ResolverReading = Pick<SplittingResolver, "resolver" | "source" | "note">;
export type CoverReading = Pick<CoverStats, "packets" | "bytes" | "answered">;

/** What others know of the paths of a split. Tunnels and endpoints are named by their ids. */
export interface SplittingReports {
  readonly tunnel: (id: string) => TunnelReading;
  /** A vpn hop may also be an interface that somebody else made: whether it is up. */
  readonly linkUp: (interfaceName: string) => boolean;
  readonly resolver: (tunnelId: string) => ResolverReading;
  readonly cover: (endpointId: string) => CoverReading;
}

/** Where no engine runs nothing is carried and nothing is padded. */
export const noPaths: SplittingReports = {
  tunnel: () => ({ mtu: null, endpoint: null, status: "down", rtt_ms: null, tx: 0, rx: 0 }),
  linkUp: () => false,
  resolver: () => ({ resolver: null, source: "system", note: "Nobody resolves on this path" }),
  cover: () => ({ packets: 0, bytes: 0, answered: 0 }),
};

interface Needs {
  readonly tunnel: (id: string) => Tunnel;
  /** The resolver the gateway itself asks. */
  readonly upstream: string | null;
}

/** What a tunnel's own page says of it, in the words of a split. */
export const tunnelReports = ({ tunnel, upstream }: Needs): Pick<SplittingReports, "tunnel" | "resolver"> => ({
  tunnel: (id) => {
    const { mtu, endpoint, status, rtt_ms, tx_bytes, rx_bytes } = tunnel(id);
    return { mtu, endpoint, status, rtt_ms, tx: tx_bytes, rx: rx_bytes };
  },
  resolver: (id) => {
    const { config } = tunnel(id);
    const [named] = "dns" in config ? config.dns : [];
    if (named !== undefined)
      return { resolver: named, source: "tunnel config", note: "The tunnel's configuration names it" };
    return {
      resolver: upstream,
      source: "system",
      note: `The tunnel's configuration names none${upstream === null ? ", and neither does dns.upstream_servers" : ""}`,
    };
  },
});
