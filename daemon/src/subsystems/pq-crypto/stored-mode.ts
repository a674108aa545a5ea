import type { PqMode } from "@portcullis/contract/subsystems/pq-crypto";
import type { Ledger } from "../../ledger/ledger.ts";

/** A setting, too: PUT /settings changes the same. */
export interface StoredPqMode {
  readonly id: "pq_crypto_mode";
  readonly value: PqMode;
}

/** The mode in force: each new session reads it. */
export function storedPqMode(ledger: Pick<Ledger, "staged">): () => PqMode {
  const settings = ledger.staged<StoredPqMode>("setting");
  return () => settings.get("pq_crypto_mode")?.value ?? "default";
}
