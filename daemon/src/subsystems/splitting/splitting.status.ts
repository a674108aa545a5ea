import { because, explainedAs } from "@portcullis/contract/reason";
import type { CoverStats, SplittingResolver, SplittingTransport } from "@portcullis/contract/subsystems/splitting";
import type { Tunnel } from "@portcullis/contract/subsystems/tunnels";

/** The observed status of a tunnel. */
export type TunnelStatus = Pick<SplittingTransport, "mtu" | "endpoint" | "status" | "rtt_ms" | "tx" | "rx"> & {
  /** Current connections, if they are counted. */
  readonly connections?: number;
};
export type ResolverStatus = Pick<SplittingResolver, "resolver" | "source" | "note" | "coded_note">;
export type CoverStatus = Pick<CoverStats, "packets" | "bytes" | "answered">;

/** The source of the status of a split, by ids of tunnels and endpoints. */
export interface SplittingStatusSource {
  readonly tunnel: (id: string) => TunnelStatus;
  /** Whether an interface is up: a vpn hop may be a foreign interface. */
  readonly linkUp: (interfaceName: string) => boolean;
  readonly resolver: (tunnelId: string) => ResolverStatus;
  readonly cover: (endpointId: string) => CoverStatus;
}

/** Used while no engine runs. */
export const noPaths: SplittingStatusSource = {
  tunnel: () => ({ mtu: null, endpoint: null, status: "down", rtt_ms: null, tx: 0, rx: 0 }),
  linkUp: () => false,
  resolver: () => ({ resolver: null, source: "system", ...explainedAs("note", because("split_no_resolver")) }),
  cover: () => ({ packets: 0, bytes: 0, answered: 0 }),
};

interface Needs {
  readonly tunnel: (id: string) => Tunnel;
  /** The gateway's own upstream resolver. */
  readonly upstream: string | null;
}

/** The status of a tunnel in the form of a split. */
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
      return { resolver: named, source: "tunnel config", ...explainedAs("note", because("split_own_resolver")) };
    return {
      resolver: upstream,
      source: "system",
      ...explainedAs("note", because(upstream === null ? "split_unset_resolver" : "split_system_resolver")),
    };
  },
});
