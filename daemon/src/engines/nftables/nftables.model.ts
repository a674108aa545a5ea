import type { DnsListener } from "./redirect/redirect.model.ts";

/** The steering table as data: which sender gets which egress. An apply rewrites it in place, in one transaction. */
export interface Ruleset {
  /** LAN interfaces. */
  readonly lan: readonly string[];
  /** Sender's MAC → rank of its policy. */
  readonly byMac: readonly Ranked[];
  /** Every possible rank of a MAC, used or not: comparisons stay the same while devices come and go. */
  readonly macRanks: readonly number[];
  /** Ranks whose packets never leave in the clear. */
  readonly closedRanks: readonly number[];
  readonly bySource: readonly {
    readonly interface: string;
    readonly v4: readonly Ranked[];
    readonly v6: readonly Ranked[];
  }[];
  readonly byDestination: { readonly v4: readonly Ranked[]; readonly v6: readonly Ranked[] };
  /** Number of a domain policy, as the resolver writes it beside an address → its rank. */
  readonly byDomain: readonly { readonly number: number; readonly rank: number }[];
  /** Rank → plan, with the policy that caused it. */
  readonly actions: readonly { readonly rank: number; readonly plan: number; readonly cause: string }[];
  /** Plan → egress: the one element a fail-over touches. */
  readonly plans: readonly { readonly plan: number; readonly egress: number }[];
  /** Plans that are blocked because their hops are down, not by choice. */
  readonly heldPlans: readonly number[];
  readonly splits: readonly {
    readonly egress: number;
    readonly members: readonly { readonly egress: number; readonly weight: number }[];
  }[];
  /** Egresses that use an uplink, always or as a fallback. */
  readonly openEgresses: readonly number[];
  /** Existing flows may keep `was` although new ones get `is`. */
  readonly staying: readonly { readonly was: number; readonly is: number }[];
  /** Tunnels and their MTU. */
  readonly clamps: readonly { readonly interface: string; readonly mtu: number }[];
  /** The rank of a packet that no policy matches. */
  readonly unmatchedRank: number;
  /** Where the gateway accepts DNS queries: each client is redirected to the resolver of its egress. */
  readonly dnsListener: LimitedDnsListener | null;
  /** Looked up before everything else. */
  readonly exceptions: Exceptions;
  /** Privacy controls by sender, before the egress is decided. */
  readonly controls: Controls;
  /** Looked up after quarantine and before the connection. */
  readonly windows?: readonly Window[];
}

/** The time for which the decisions about some packets are valid. Before and afterwards these packets are blocked. */
export interface Window {
  /** In seconds of the wall clock. */
  readonly fromSec: number;
  readonly untilSec: number;
  /** The end by the monotonic clock: another end there means that the elements have another timeout. */
  readonly untilUptimeSec: number;
  readonly cause: string;
  readonly macs: readonly string[];
  /** LAN interfaces, with all their packets. */
  readonly interfaces: readonly string[];
  /** Senders and destinations, in nft's syntax. */
  readonly from: AddressKeys;
  readonly to: AddressKeys;
}

export interface AddressKeys {
  readonly v4: readonly string[];
  readonly v6: readonly string[];
}

/** Controls by sender, as bits; `others` for all other senders. */
export interface Controls {
  readonly mac: readonly ControlledSender[];
  /** Devices that are known by address only. */
  readonly v4: readonly ControlledSender[];
  readonly v6: readonly ControlledSender[];
  readonly others: number;
  /** Addresses and networks of DoH resolvers. */
  readonly resolvers: { readonly v4: readonly string[]; readonly v6: readonly string[] };
}

export interface ControlledSender {
  readonly key: string;
  /** Of `controlBits`. */
  readonly on: number;
}

export const controlBits = { force_dns: 1, block_doh: 2, block_ipv6: 4, block_webrtc: 8 } as const;

export interface LimitedDnsListener extends DnsListener {
  /**
   * New flows per second of one sender; 0: unlimited. The resolver has its own limit, but a flood would fill
   * the conntrack table, which all devices share, before it reached the resolver.
   */
  readonly ratePerSec: number;
}

/** Quarantined and bypassed senders. Each key expires by itself, in the kernel. */
export interface Exceptions {
  readonly quarantined: Senders;
  readonly direct: Senders;
  /** Sender and destination in one key. */
  readonly allowed: {
    readonly mac4: readonly Timed[];
    readonly mac6: readonly Timed[];
    readonly v4: readonly Timed[];
    readonly v6: readonly Timed[];
  };
}

interface Senders {
  readonly mac: readonly Timed[];
  readonly v4: readonly Timed[];
  readonly v6: readonly Timed[];
}

export interface Timed {
  readonly key: string;
  /** In milliseconds of the wall clock; null: until it is removed. */
  readonly untilMs: number | null;
  readonly cause: string;
}

/** Key in nft's syntax (a MAC, an address, a range) and its rank. */
export interface Ranked {
  readonly key: string;
  readonly rank: number;
}

/** The guard table as data: which packets may pass, by egress and interface. An apply changes its pairs only. */
export interface Guard {
  readonly lan: readonly string[];
  readonly uplinks: readonly string[];
  /** TCP ports of the gateway that are open on uplinks. */
  readonly uplinkPorts: readonly number[];
  /**
   * Interfaces without a role, and the TCP ports of the gateway that private addresses may reach by them. Only while the LAN
   * interface of the configuration is missing: the operator is then behind one of these.
   */
  readonly rescue?: { readonly interfaces: readonly string[]; readonly ports: readonly number[] };
  /** The interfaces that each egress may use. */
  readonly pairs: readonly { readonly egress: number; readonly interface: string }[];
  /** Which LAN interface reaches which. Empty with a single LAN. */
  readonly lanPairs: readonly { readonly from: string; readonly to: string }[];
  /** Addresses of the gateway on LANs, with the LAN interfaces by which they are reached. Empty with a single LAN. */
  readonly lanAddresses: readonly { readonly address: string; readonly interface: string }[];
  /** Servers of hops that run inside other hops: no packet to them may leave by an uplink. */
  readonly innerHopServers: readonly Server[];
  /** Servers of all other hops: only the hop itself may send to them by an uplink. */
  readonly servers: readonly Server[];
  /** Addresses of tunnels with their interface. They are invalid on any other. */
  readonly inner: readonly { readonly address: string; readonly interface: string }[];
}

/** The endpoint of a tunnel or a proxy. */
export interface Server {
  readonly address: string;
  readonly protocol: "udp" | "tcp";
  readonly port: number;
}

/** Egress numbers with a fixed meaning; the others are allocated from 0x02 to 0xef. */
export const directEgress = 0x01;
export const localEgress = 0xfe;
export const blockEgress = 0xff;
