import type { CoverStats, SplittingResolver, SplittingTransport } from "@portcullis/contract/subsystems/splitting";

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
