import type { DnsListener } from "./redirect/redirect.model.ts";

/** The steering table as data: who is sent where. Everything in it may be rewritten by an apply, in place, in one transaction. */
export interface Ruleset {
  /** Interfaces behind which devices live. */
  readonly lan: readonly string[];
  /** Sender's MAC → rank of the policy it obeys. */
  readonly byMac: readonly Ranked[];
  /** Every rank a MAC could have, whether one has it now or not: devices come and go, comparisons stay. */
  readonly macRanks: readonly number[];
  /** Ranks by which nothing ever leaves in the clear. */
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
  /** Plans that are shut because their hops are down, not because somebody wants them to be. */
  readonly heldPlans: readonly number[];
  readonly splits: readonly {
    readonly egress: number;
    readonly members: readonly { readonly egress: number; readonly weight: number }[];
  }[];
  /** Those that an uplink carries, always or when there is nothing else. */
  readonly openEgresses: readonly number[];
  /** Flows that may stay where they are, though new ones go elsewhere. */
  readonly staying: readonly { readonly was: number; readonly is: number }[];
  /** Tunnels and the largest packet each takes. */
  readonly clamps: readonly { readonly interface: string; readonly mtu: number }[];
  /** What happens to a packet no table knows. */
  readonly unmatchedRank: number;
  /** Where on the gateway names are asked for: whoever asks is sent to the resolver of its own way. */
  readonly dnsListener: LimitedDnsListener | null;
  /** What is looked up before all of that. */
  readonly exceptions: Exceptions;
  /** What is switched off for whom, before anybody asks where it goes. */
  readonly controls: Controls;
}

/** Controls by sender, as bits. Who is not among them is one of the others. */
export interface Controls {
  readonly mac: readonly ControlledSender[];
  /** Of devices that are known by address only. */
  readonly v4: readonly ControlledSender[];
  readonly v6: readonly ControlledSender[];
  readonly others: number;
  /** Addresses and networks where names are asked for under the cover of a web page. */
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
   * New flows a second of one sender; 0: as many as it likes. The resolver has a limit of its own, but a flood would fill
   * the table of connections, which is everybody's, before it got there.
   */
  readonly ratePerSec: number;
}

/** Who is cut off and who is let out for a while. Each key ends by itself, in the kernel. */
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
  /** In milliseconds of the clock; null: it stays until it is taken out. */
  readonly untilMs: number | null;
  readonly cause: string;
}

/** Key in nft's own words (a MAC, an address, a range) and the rank it leads to. */
export interface Ranked {
  readonly key: string;
  readonly rank: number;
}

/** The table that apply never touches but for its pairs: what may pass, by egress and interface. */
export interface Guard {
  readonly lan: readonly string[];
  readonly uplinks: readonly string[];
  /** TCP ports of the gateway itself that are open towards the uplink. */
  readonly uplinkPorts: readonly number[];
  /**
   * Interfaces without a role, and the TCP ports of the gateway that private addresses may reach by them. Only while the LAN
   * interface that the configuration names is missing: its owner is then behind one of these, if anywhere.
   */
  readonly rescue?: { readonly interfaces: readonly string[]; readonly ports: readonly number[] };
  /** Which interface may carry which egress. */
  readonly pairs: readonly { readonly egress: number; readonly interface: string }[];
  /** Servers of hops that run inside other hops: nobody may be seen talking to them. */
  readonly innerHopServers: readonly Server[];
  /** Servers of all other hops: outside, nobody but the hop itself may talk to them. */
  readonly servers: readonly Server[];
  /** Addresses of tunnels, and each interface that has one. They are of no use by any other. */
  readonly inner: readonly { readonly address: string; readonly interface: string }[];
}

/** Where a tunnel or a proxy is reached. */
export interface Server {
  readonly address: string;
  readonly protocol: "udp" | "tcp";
  readonly port: number;
}

/** Egress numbers with a fixed meaning; the others are allocated from 0x02 to 0xef. */
export const directEgress = 0x01;
export const localEgress = 0xfe;
export const blockEgress = 0xff;
