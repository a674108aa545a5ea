import { join } from "node:path";
import { kinds } from "../daemon/src/app/resource-kinds.ts";
import { type Ledger, openLedger } from "../daemon/src/ledger/ledger.ts";

/** The ledger a daemon would find in this folder. */
export const ledgerIn = (folder: string): Ledger =>
  openLedger({
    path: join(folder, "portcullis.db"),
    kinds,
    now: () => new Date(),
    refuse: (it) => new Error(it),
    keepRevisions: 10,
  });
