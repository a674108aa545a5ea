import type { CoverStats, SplittingResolver, SplittingTransport } from "@portcullis/contract/subsystems/splitting";
import type { Tunnel } from "@portcullis/contract/subsystems/tunnels";

/** How a tunnel is now. */
export type TunnelStatus = Pick<SplittingTransport, "mtu" | "endpoint" | "status" | "rtt_ms" | "tx" | "rx"> & {
  /** Connections it carries, where that is counted. */
  readonly connections?: number;
};
export type ResolverStatus = Pick<SplittingResolver, "resolver" | "source" | "note">;
export type CoverStatus = Pick<CoverStats, "packets" | "bytes" | "answered">;

/** What others know of the paths of a split. Tunnels and endpoints are named by their ids. */
export interface SplittingStatusSource {
  readonly tunnel: (id: string) => TunnelStatus;
  /** A vpn hop may also be an interface that somebody else made: whether it is up. */
  readonly linkUp: (interfaceName: string) => boolean;
  readonly resolver: (tunnelId: string) => ResolverStatus;
  readonly cover: (endpointId: string) => CoverStatus;
}

/** Where no engine runs nothing is carried and nothing is padded. */
export const noPaths: SplittingStatusSource = {
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
export const tunnelStatusSource = ({
  tunnel,
  upstream,
}: Needs): Pick<SplittingStatusSource, "tunnel" | "resolver"> => ({
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
