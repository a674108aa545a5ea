import type { Hop, SourceType } from "@portcullis/contract/subsystems/routing";

/** What the compiler reads of the published document: every name resolved, nothing it does not need. */
export interface Intent {
  readonly network: Network;
  readonly devices: readonly IntentDevice[];
  /** Ids of the device groups there are. */
  readonly groups: readonly string[];
  readonly policies: readonly IntentPolicy[];
  /** Those that hold now, whatever the policies say. */
  readonly exceptions: readonly IntentException[];
}

export interface Network {
  /** Interfaces behind which devices live. */
  readonly lan: readonly string[];
  readonly wan: string;
  /** TCP ports of the gateway itself that are open towards the uplink. */
  readonly uplinkPorts?: readonly number[];
  /** What happens to traffic no policy speaks of. */
  readonly defaultEgress: "direct" | "block";
}

export interface IntentDevice {
  readonly id: string;
  readonly mac: string | null;
  readonly ips: readonly string[];
  readonly groupIds: readonly string[];
  /** Its privacy class wants it blocked when no policy speaks of it. */
  readonly requiresTunnel: boolean;
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
