import type { ProxyCondition, TproxyStatus } from "@portcullis/contract/subsystems/proxies";
import type { TunnelCondition, TunnelEgress } from "@portcullis/contract/subsystems/tunnels";

/** What is known of those who carry packets for us. */
export interface Carriers {
  readonly tunnel: (id: string) => TunnelCondition;
  readonly proxy: (id: string) => ProxyCondition;
  /** Which tunnel each policy that is in force uses now. */
  readonly egress: () => readonly TunnelEgress[] | Promise<readonly TunnelEgress[]>;
  readonly tproxy: () => TproxyStatus;
}

/** Without a dataplane nobody carries anything. */
export const restingCarriers: Carriers = {
  tunnel: () => ({
    status: "down",
    healthy: false,
    reason: "the dataplane is off",
    since: null,
    rtt_ms: null,
    loss: null,
    last_handshake: null,
    tx_bytes: 0,
    rx_bytes: 0,
    endpoint: null,
  }),
  proxy: () => ({ status: "down", healthy: false, reason: "the dataplane is off", connections: 0, tx: 0, rx: 0 }),
  egress: () => [],
  tproxy: () => ({ running: false, redirectors: [], udp: "blocked" }),
};
