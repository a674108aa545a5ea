import type { Control } from "@portcullis/contract/privacy-controls";
import type { DhcpRange } from "@portcullis/contract/subsystems/dhcp";
import type { RouterAdvertisement } from "@portcullis/contract/subsystems/router-advertisements";
import type { PauseSourceType, PauseType } from "@portcullis/contract/subsystems/pauses";
import type { Exception } from "@portcullis/contract/subsystems/exceptions";
import type { Hop, SourceType } from "@portcullis/contract/subsystems/routing";
import type { PqMode } from "../../net/key-exchange.ts";
import type { Rotation } from "../../engines/dnsdist/dnsdist.model.ts";
import type { LanAddress } from "../../engines/lan-address/lan-address.model.ts";
import type { DnsListener } from "../../engines/nftables/redirect/redirect.model.ts";
import type { Zone } from "../../engines/nsd/nsd.model.ts";
import type { VlanLink } from "../../engines/vlan/vlan.model.ts";

/** The part of the published document that the compiler needs, with all references resolved. */
export interface Intent {
  readonly network: Network;
  readonly devices: readonly IntentDevice[];
  /** Controls that are on for unknown devices. */
  readonly controlsOfUnknown?: readonly Control[];
  /** Ids of the device groups. */
  readonly groups: readonly string[];
  readonly policies: readonly IntentPolicy[];
  /** Enabled policies whose schedule is not active. They decide nothing, and their hops are nested as if they were in force. */
  readonly waiting?: readonly IntentPolicy[];
  /** Until when the decisions about what policies with a schedule match are valid. */
  readonly windows?: readonly IntentWindow[];
  /** They decide nothing, but their hops stay nested. */
  readonly disabledPolicies: readonly IntentPolicy[];
  /** Active exceptions. They override policies. */
  readonly exceptions: readonly IntentException[];
  /** Active pauses. Those of protection are among the exceptions, too, one for each of their devices. */
  readonly pauses?: readonly IntentPause[];
  /** Possible hops of policies. */
  readonly tunnels: readonly IntentTunnel[];
  readonly proxies: readonly IntentProxy[];
  readonly bridges: readonly IntentBridge[];
  readonly covers: readonly IntentCover[];
  readonly uplinks: IntentUplinks;
  /** Settings of LANs. One without settings reaches no other. */
  readonly segments: readonly IntentSegment[];
  /** Ranges of the DHCP server. */
  readonly dhcp: readonly DhcpRange[];
  /** LAN interfaces on which the gateway is advertised as IPv6 router. */
  readonly advertisements: readonly RouterAdvertisement[];
  /** null: the gateway runs no resolver. */
  readonly dns: IntentDns | null;
}

export interface Network {
  /** Interfaces of the LANs: those of the bootstrap file, and VLANs. */
  readonly lan: readonly string[];
  /** VLANs that the gateway creates, towards devices or providers. */
  readonly vlans?: readonly VlanLink[];
  /** Addresses of LAN interfaces that the gateway sets itself. */
  readonly lanAddresses?: readonly LanAddress[];
  /** The active uplink. */
  readonly wan: string;
  /** All enabled uplinks. */
  readonly uplinks: readonly string[];
  /**
   * Uplinks that are disabled, or that only the bootstrap file names. They are still outside. Undefined without settings
   * for uplinks.
   */
  readonly unused?: readonly string[];
  /** TCP ports of the gateway that are open on uplinks. */
  readonly uplinkPorts?: readonly number[];
  /** TCP ports of the gateway's administration. */
  readonly managementPorts?: readonly number[];
  /** Resolvers of the gateway itself. */
  readonly resolvers?: readonly string[];
  /** For traffic that no policy matches. */
  readonly defaultEgress: "direct" | "block";
  /** The resolver's part of the bootstrap file; undefined: no resolver runs. */
  readonly dns?: DnsBootstrap;
}

export interface DnsBootstrap {
  readonly listener: DnsListener;
  readonly upstreams: readonly string[];
  readonly mode: "plain" | "dot" | "doh";
  readonly isFiltering: boolean;
  readonly caFile: string;
  readonly anchors: readonly string[];
}

/** The settings of the resolver. */
export interface IntentDns {
  readonly listener: DnsListener;
  readonly caFile: string;
  readonly anchors: readonly string[];
  readonly isFiltering: boolean;
  /** Queries per second that one client may send. */
  readonly ratePerSec: number;
  readonly isRebindingProtected: boolean;
  readonly rebindable: readonly string[];
  readonly isValidating: boolean;
  /** Whether resolvers of a tunnel's configuration replace the general forwarders. */
  readonly prefersTunnelResolvers: boolean;
  readonly rotation: Rotation;
  /** In order. */
  readonly forwarders: readonly IntentForwarder[];
  readonly zones: readonly { readonly zone: Zone; readonly isFilled: boolean }[];
  readonly external: { readonly address: string; readonly port: number } | null;
}

export interface IntentForwarder {
  readonly id: string;
  readonly address: string;
  readonly port: number;
  readonly protocol: "plain" | "dot" | "doh";
  readonly serverName: string | null;
  readonly path: string;
  /** Empty: all. */
  readonly domains: readonly string[];
  readonly isForwarded: boolean;
  /** Of its TLS, if the DNS proxy queries it. */
  readonly pqMode: PqMode;
}

/** Interfaces of networks in which third parties can read packets. */
export const outsideOf = ({ wan, uplinks, unused = [] }: Pick<Network, "wan" | "uplinks" | "unused">): string[] => [
  ...new Set([...uplinks, ...unused, wan]),
];

export interface IntentDevice {
  readonly id: string;
  readonly mac: string | null;
  readonly ips: readonly string[];
  readonly groupIds: readonly string[];
  /** By its privacy class, it is blocked when no policy matches. */
  readonly requiresTunnel: boolean;
  /** Controls that are on: its own, its class's and the default ones. */
  readonly controls?: readonly Control[];
}

export interface IntentException {
  /** null: the state of the device is quarantined. */
  readonly id: string | null;
  readonly type: string;
  readonly effect: "direct" | "quarantine";
  readonly deviceId: string;
  readonly mac: string | null;
  readonly ips: readonly string[];
  /** Empty: all. */
  readonly destinations: readonly string[];
  /** null: no end. */
  readonly untilMs: number | null;
  /** DNS answers for this device only. */
  readonly answers?: Exception["answers"];
}

export interface IntentPause {
  readonly id: string;
  readonly type: PauseType;
  /** Whom it is for: everyone, or the device or the group with this id. */
  readonly sourceType: PauseSourceType;
  readonly sourceValue: string;
  /** Of a pause for one domain. */
  readonly domain: string | null;
  /** Of a pause of protection: its devices. */
  readonly deviceIds: readonly string[];
  /** Seconds of the machine's monotonic clock. */
  readonly untilSec: number;
}

export interface IntentPolicy {
  readonly id: string;
  readonly priority: number;
  readonly sourceType: SourceType;
  readonly sourceValue: string;
  readonly hops: readonly Hop[];
  readonly failPolicy: "fail-closed" | "fail-open" | "fail-over";
  readonly splitting: boolean;
  /** undefined: it always applies. */
  readonly scheduleId?: string;
}

/** The current period of a schedule, with all enabled policies that have it. */
export interface IntentWindow {
  readonly scheduleId: string;
  /** In milliseconds of the wall clock. */
  readonly fromMs: number;
  readonly untilMs: number;
  /** The end in seconds since the machine started. */
  readonly untilUptimeSec: number;
  readonly policies: readonly IntentPolicy[];
}

/** An intent without links. */
export const noLinks: Pick<
  Intent,
  | "disabledPolicies"
  | "tunnels"
  | "proxies"
  | "bridges"
  | "covers"
  | "uplinks"
  | "segments"
  | "dhcp"
  | "advertisements"
  | "dns"
> = {
  disabledPolicies: [],
  tunnels: [],
  proxies: [],
  bridges: [],
  covers: [],
  uplinks: { isProbed: false, mode: "manual", chosen: null, list: [] },
  segments: [],
  dhcp: [],
  advertisements: [],
  dns: null,
};

export interface IntentSegment {
  readonly interface: string;
  readonly name: string;
  /** LAN interfaces. */
  readonly reaches: readonly string[];
}

export interface IntentTunnel {
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly interface: string;
  /** null: computed from the MTU of the outer hop or uplink. */
  readonly mtu: number | null;
  /** Its share of split connections, relative to the other tunnels. */
  readonly weight: number;
  /** Resolvers that its configuration names. */
  readonly resolvers: readonly string[];
  /** Probed through the tunnel, the likeliest to answer first. */
  readonly probeTargets: readonly string[];
  /** Probed only while none of those answers. */
  readonly fallbackTargets?: readonly string[];
  /** given: by the operator, so nothing is added; none: no probes are sent. */
  readonly probing?: "given" | "none";
  /** The key of its decrypted secret in the facts. */
  readonly secret: string | null;
  readonly config: WireguardPlan | OpenvpnPlan;
}

export interface WireguardPlan {
  readonly kind: "wireguard";
  readonly addresses: readonly string[];
  readonly listenPort: number | null;
  readonly peers: readonly {
    readonly publicKey: string;
    /** Host, by address or name, and port. */
    readonly endpoint: string | null;
    readonly allowedIps: readonly string[];
    readonly keepaliveSec: number;
  }[];
}

export interface OpenvpnPlan {
  readonly kind: "openvpn";
  readonly remotes: readonly { readonly host: string; readonly port: number; readonly protocol: "udp" | "tcp" }[];
  readonly directives: readonly { readonly name: string; readonly args: readonly string[] }[];
  readonly blocks: Readonly<Record<string, string>>;
}

export interface IntentProxy {
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
  /** local: it listens on the gateway; upstream: a server elsewhere, used as a hop. */
  readonly kind: "local" | "upstream";
  /** Host and port of the listener or of the server. */
  readonly at: { readonly host: string; readonly port: number };
  /** The tunnel a local one's connections leave by; null: the uplink. */
  readonly tunnelId: string | null;
  readonly username: string | null;
  /** Its password. */
  readonly secret: string | null;
}

export interface IntentBridge {
  readonly interface: string;
  readonly members: readonly string[];
  readonly addresses: readonly string[];
  readonly stp: boolean;
}

/** Padding that makes the amount of real traffic harder to see. */
export interface IntentCover {
  readonly id: string;
  readonly tunnelId: string;
  readonly target: string;
  readonly bytesPerSec: number;
}

/** The uplinks, and how the active one is selected. */
export interface IntentUplinks {
  /** Whether the operator has configured uplinks. Otherwise no probes are sent to servers outside. */
  readonly isProbed: boolean;
  readonly mode: "manual" | "auto";
  /** By name; null: the preferred one. */
  readonly chosen: string | null;
  readonly list: readonly {
    readonly name: string;
    readonly interface: string;
    readonly priority: number;
    readonly enabled: boolean;
    readonly targets: readonly string[];
  }[];
}
