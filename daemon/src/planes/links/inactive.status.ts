import { because, explained } from "@portcullis/contract/reason";
import type { ProxyCondition, TproxyStatus } from "@portcullis/contract/subsystems/proxies";
import type { TunnelCondition } from "@portcullis/contract/subsystems/tunnels";
import { type BridgeStatusSource, noBridges } from "../../subsystems/bridges/bridges.status.ts";
import { type DhcpStatusSource, noDhcp } from "../../subsystems/dhcp/dhcp.status.ts";
import {
  type AdvertisementStatusSource,
  notAdvertising,
} from "../../subsystems/router-advertisements/router-advertisements.status.ts";
import { noPaths, type SplittingStatusSource } from "../../subsystems/splitting/splitting.status.ts";
import { noVlans, type VlanStatusSource } from "../../subsystems/vlans/vlans.status.ts";
import { unprobed, type UplinkStatusSource } from "../../subsystems/uplinks/uplinks.status.ts";

/** The state of links, in the types of the API. */
export interface LinkStatus {
  readonly tunnel: (id: string) => TunnelCondition;
  readonly proxy: (id: string) => ProxyCondition;
  readonly tproxy: () => TproxyStatus;
  readonly bridges: BridgeStatusSource;
  readonly vlans: VlanStatusSource;
  readonly cover: SplittingStatusSource["cover"];
  readonly wan: UplinkStatusSource;
  readonly dhcp: DhcpStatusSource;
  readonly advertisement: AdvertisementStatusSource;
  /** Reads counters and other values that always change. */
  readonly refresh: () => Promise<void>;
}

const off = { healthy: false, ...explained(because("dataplane_off")) } as const;

/** While the dataplane is off, every link is down. */
export const inactiveLinkStatus: LinkStatus = {
  tunnel: () => ({
    status: "down",
    ...off,
    since: null,
    rtt_ms: null,
    loss: null,
    last_handshake: null,
    tx_bytes: 0,
    rx_bytes: 0,
    counters_at: null,
    endpoint: null,
  }),
  proxy: () => ({ status: "down", ...off, connections: 0, tx: 0, rx: 0, counters_at: null }),
  tproxy: () => ({ running: false, redirectors: [], udp: "blocked" }),
  bridges: noBridges,
  vlans: noVlans,
  cover: noPaths.cover,
  wan: unprobed,
  dhcp: noDhcp,
  advertisement: () => notAdvertising("off", because("dataplane_off")),
  refresh: async () => {},
};
