import { because } from "@portcullis/contract/reason";
import { type Component, component } from "@portcullis/contract/subsystems/status";
import type { Ledger } from "../../ledger/ledger.ts";

/** The ledger answers: otherwise the daemon would not have started. */
export const ledgerComponent = (ledger: Pick<Ledger, "revision">) => (): Component =>
  component("ledger", "ok", because("ledger_revision", { revision: ledger.revision() }));
