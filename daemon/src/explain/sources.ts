import type { TunnelCondition } from "@portcullis/contract/subsystems/tunnels";
import type { ObservedState } from "../compiler/input/facts.ts";
import type { Intent, Network } from "../compiler/input/intent.ts";
import { intentOf, type Resources, type Temporary } from "../compiler/input/read-document.ts";
import { periodsAt } from "../compiler/input/scheduled.ts";
import type { Ledger } from "../ledger/ledger.ts";

/** The sources of all views. */
export interface Sources {
  readonly ledger: Ledger;
  readonly network: () => Network;
  readonly exceptions: () => readonly Temporary[];
  /** Links and their conditions, without running a program: no gateways, no networks. */
  readonly linkStates: () => ObservedState;
  /** The same with gateways and networks, as far as they can be read. */
  readonly observedState: () => Promise<ObservedState>;
  readonly published: () => Resources;
  /** The state of a tunnel. */
  readonly condition: (tunnelId: string) => TunnelCondition;
  /** Policy → connections that it has decided. Only policies that are in force. */
  readonly hits: () => Promise<ReadonlyMap<string, Decided>>;
  readonly now: () => Date;
  /** Milliseconds since the machine started. */
  readonly sinceBootMs: () => number;
  /** Lets other requests run between two parts of a long computation. */
  readonly pause: () => Promise<void>;
}

interface Decided {
  readonly connections: number;
  /** When counting began. */
  readonly sinceMs: number;
  readonly lastMs: number | null;
}

/** The intent with the schedules of a moment. */
export const intentAt = (resources: Resources, network: Network, exceptions: readonly Temporary[], at: Date): Intent =>
  intentOf(resources, network, exceptions, periodsAt(resources, at));

export const nameOf = (id: string, { routing_policy }: Pick<Resources, "routing_policy">): string =>
  routing_policy.find((it) => it.id === id)?.name ?? id;
