import type { Publishing } from "../daemon/src/ledger/change.ts";
import { type Ledger, openLedger } from "../daemon/src/ledger/ledger.ts";

/** A ledger in memory. */
export const ledgerInMemory = (
  kinds: Readonly<Record<string, Publishing>>,
  { now = () => new Date(), keepRevisions = 10 } = {},
): Ledger => openLedger({ path: ":memory:", kinds, now, refuse: (refusal) => new Error(refusal), keepRevisions });
