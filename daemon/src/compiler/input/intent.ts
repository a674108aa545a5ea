import type { Control } from "@portcullis/contract/privacy-controls";
import type { Exception } from "@portcullis/contract/subsystems/exceptions";
import type { Hop, SourceType } from "@portcullis/contract/subsystems/routing";
import type { Rotation } from "../../engines/dnsdist/dnsdist.model.ts";
import type { Asked } from "../../engines/nftables/redirect/redirect.model.ts";
import type { Zone } from "../../engines/nsd/nsd.model.ts";

/** What the compiler reads of the published document: every name resolved, nothing it does not need. */
export interface Intent {
  readonly network: Network;
  readonly devices: readonly IntentDevice[];
  /** What is switched on for whoever is no device that anybody knows. */
  readonly controlsOfUnknown?: readonly Control[];
  /** Ids of the device groups there are. */
  readonly groups: readonly string[];
  readonly policies: readonly IntentPolicy[];
  /** Those that are switched off. They decide nothing, but a hop inside another one stays there. */
  readonly disabledPolicies: readonly IntentPolicy[];
  /** Those that hold now, whatever the policies say. */
  readonly exceptions: readonly IntentException[];
  /** What policies may lead through. */
  readonly tunnels: readonly IntentTunnel[];
  readonly proxies: readonly IntentProxy[];
  readonly bridges: readonly IntentBridge[];
  readonly covers: readonly IntentCover[];
  readonly uplinks: IntentUplinks;
  /** null: the gateway answers no questions for names. */
  readonly dns: IntentDns | null;
}

export interface Network {
  /** Interfaces behind which devices live. */
  readonly lan: readonly string[];
  /** The uplink that is used now. */
  readonly wan: string;
  /** All that may be used. */
  readonly uplinks: readonly string[];
  /**
   * Those that may not: switched off, or named by the bootstrap file and by no list. They are still outside. Undefined as
   * long as nobody has said anything of uplinks.
   */
  readonly unused?: readonly string[];
  /** TCP ports of the gateway itself that are open towards the uplink. */
  readonly uplinkPorts?: readonly number[];
  /** TCP ports by which the gateway is administered. */
  readonly managementPorts?: readonly number[];
  /** Resolvers the gateway itself asks. */
  readonly resolvers?: readonly string[];
  /** What happens to traffic no policy speaks of. */
  readonly defaultEgress: "direct" | "block";
  /** What the bootstrap file says of the resolver; without it there is none. */
  readonly dns?: DnsBootstrap;
}

export interface DnsBootstrap {
  readonly listener: Asked;
  readonly upstreams: readonly string[];
  readonly mode: "plain" | "dot" | "doh";
  readonly isFiltering: boolean;
  readonly caFile: string;
  readonly anchors: readonly string[];
}

/** What is wanted of the resolver. */
export interface IntentDns {
  readonly listener: Asked;
  readonly caFile: string;
  readonly anchors: readonly string[];
  readonly isFiltering: boolean;
  /** Questions a second that one source may ask. */
  readonly ratePerSec: number;
  readonly isRebindingProtected: boolean;
  readonly rebindable: readonly string[];
  readonly isValidating: boolean;
  /** Whether a tunnel's own resolvers are asked rather than everybody's. */
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
  /** Empty: it is asked for everything. */
  readonly domains: readonly string[];
  readonly isForwarded: boolean;
}

/** Every interface beyond which everybody can listen. */
export const outsideOf = ({ wan, uplinks, unused = [] }: Pick<Network, "wan" | "uplinks" | "unused">): string[] => [
  ...new Set([...uplinks, ...unused, wan]),
];

export interface IntentDevice {
  readonly id: string;
  readonly mac: string | null;
  readonly ips: readonly string[];
  readonly groupIds: readonly string[];
  /** Its privacy class wants it blocked when no policy speaks of it. */
  readonly requiresTunnel: boolean;
  /** What is switched on for it, by whoever said so. */
  readonly controls?: readonly Control[];
}

export interface IntentException {
  /** null: nobody made it, the device itself is marked as quarantined. */
  readonly id: string | null;
  readonly type: string;
  readonly effect: "direct" | "quarantine";
  readonly deviceId: string;
  readonly mac: string | null;
  readonly ips: readonly string[];
  /** Where it leads; empty: everywhere. */
  readonly destinations: readonly string[];
  /** null: it does not end by itself. */
  readonly untilMs: number | null;
  /** Names the device is told, whatever its own way knows. */
  readonly answers?: Exception["answers"];
}

export interface IntentPolicy {
  readonly id: string;
  readonly priority: number;
  readonly sourceType: SourceType;
  readonly sourceValue: string;
  readonly hops: readonly Hop[];
  readonly failPolicy: "fail-closed" | "fail-open" | "fail-over";
  readonly splitting: boolean;
}

/** A household that has none of these. */
export const noLinks: Pick<
  Intent,
  "disabledPolicies" | "tunnels" | "proxies" | "bridges" | "covers" | "uplinks" | "dns"
> = {
  disabledPolicies: [],
  tunnels: [],
  proxies: [],
  bridges: [],
  covers: [],
  uplinks: { isProbed: false, mode: "manual", chosen: null, list: [] },
  dns: null,
};

export interface IntentTunnel {
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly interface: string;
  /** null: as large as fits into what carries it. */
  readonly mtu: number | null;
  /** Of the connections that are spread over several tunnels, how many this one gets. */
  readonly weight: number;
  /** On the other side, as far as its file names any. */
  readonly resolvers: readonly string[];
  /** What is asked through it whether it is alive, the likeliest to answer first. */
  readonly probeTargets: readonly string[];
  /** Probed only while none of those answers. */
  readonly fallbackTargets?: readonly string[];
  /** given: by the operator, so nothing is added; none: no probes are sent. */
  readonly probing?: "given" | "none";
  /** Under which its keys are found among the facts. */
  readonly secret: string | null;
  readonly config: WireguardPlan | OpenvpnPlan;
}

export interface WireguardPlan {
  readonly kind: "wireguard";
  readonly addresses: readonly string[];
  readonly listenPort: number | null;
  readonly peers: readonly {
    readonly publicKey: string;
    /** Host and port; the host may be a name. */
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
  /** A local one listens on the gateway; an upstream one is somebody else's server, and a hop. */
  readonly kind: "local" | "upstream";
  /** Where it listens, or where the server is: host and port. */
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

/** Traffic that means nothing, so that what means something does not stand out. */
export interface IntentCover {
  readonly id: string;
  readonly tunnelId: string;
  readonly target: string;
  readonly bytesPerSec: number;
}

/** Which uplinks there are and how one of them is chosen. */
export interface IntentUplinks {
  /** Somebody has said something of them. Nobody out there is asked whether an uplink is alive unless an operator wants it. */
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
