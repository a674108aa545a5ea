import type { TunnelCondition } from "@portcullis/contract/subsystems/tunnels";
import type { ObservedState } from "../compiler/input/facts.ts";
import type { Network } from "../compiler/input/intent.ts";
import type { ActiveException, Resources } from "../compiler/input/read-document.ts";
import type { Ledger } from "../ledger/ledger.ts";

/** What every answer is drawn from. */
export interface Sources {
  readonly ledger: Ledger;
  readonly network: () => Network;
  readonly exceptions: () => readonly ActiveException[];
  /** What is around, at once and without what leads through the interfaces. */
  readonly linkStates: () => ObservedState;
  /** The same with gateways and networks, as far as they can be known. */
  readonly observedState: () => Promise<ObservedState>;
  readonly published: () => Resources;
  /** How a tunnel is. */
  readonly condition: (tunnelId: string) => TunnelCondition;
  /** Policy → what it has decided; nothing of those that are not in force. */
  readonly hits: () => Promise<ReadonlyMap<string, Decided>>;
  readonly now: () => Date;
  /** Lets others have their turn between two pieces of long work. */
  readonly pause: () => Promise<void>;
}

interface Decided {
  readonly connections: number;
  /** Since when they are counted. */
  readonly sinceMs: number;
  readonly lastMs: number | null;
}

export const nameOf = (id: string, { routing_policy }: Pick<Resources, "routing_policy">): string =>
  routing_policy.find((it) => it.id === id)?.name ?? id;
