import { join } from "node:path";
import { kinds } from "../daemon/src/app/resource-kinds.ts";
import { type Ledger, openLedger } from "../daemon/src/ledger/ledger.ts";

/** Opens the ledger of this folder as the daemon does. */
export const ledgerIn = (folder: string): Ledger =>
  openLedger({
    path: join(folder, "portcullis.db"),
    kinds,
    now: () => new Date(),
    refuse: (it) => new Error(it),
    keepRevisions: 10,
  });
