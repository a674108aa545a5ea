import type { NetworkInterface } from "@portcullis/contract/subsystems/interfaces";

/** An Ethernet interface with a link and nothing else, unless `changed` says otherwise. */
export const seenInterface = (name: string, changed: Partial<NetworkInterface> = {}): NetworkInterface => ({
  name,
  kind: "ethernet",
  role: "unused",
  mac: null,
  addresses: [],
  dynamic_addresses: [],
  up: true,
  carrier: true,
  speed_mbps: null,
  mtu: 1500,
  master: null,
  parent: null,
  rx_bytes: 0,
  tx_bytes: 0,
  counters_at: null,
  rx_dropped: 0,
  tx_dropped: 0,
  default_gateway_v4: null,
  default_gateway_v6: null,
  ...changed,
});
