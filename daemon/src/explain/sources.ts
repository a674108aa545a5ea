import type { Link } from "../compiler/facts.ts";
import type { Network } from "../compiler/intent.ts";
import type { ActiveException, Resources } from "../compiler/read.ts";
import type { Ledger } from "../ledger/ledger.ts";

/** What every answer is drawn from. */
export interface Sources {
  readonly ledger: Ledger;
  readonly network: Network;
  readonly exceptions: () => readonly ActiveException[];
  /** The interfaces there are, at once and without what leads through them. */
  readonly links: () => readonly Link[];
  /** The same with gateways and networks, as far as they can be known. */
  readonly surroundings: () => Promise<readonly Link[]>;
  readonly published: () => Resources;
}
