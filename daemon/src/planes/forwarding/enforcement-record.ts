import { join } from "node:path";
import { explained, isReason, type Reason, reported } from "@portcullis/contract/reason";
import type { System } from "../../system/system.ts";

/** The enforcement state of this machine. It is not part of the configuration: a rollback or a copy does not include it. */
export type EnforcementRecord =
  | { readonly state: "new" }
  /** In force for the first time, until `deadline` unless it is confirmed. */
  | { readonly state: "provisional"; readonly since: string; readonly deadline: string }
  | { readonly state: "reverted"; readonly at: string; readonly reason: Reason }
  | { readonly state: "confirmed"; readonly at: string; readonly by: string; readonly how: string };

type Files = Pick<System, "readText" | "writeAtomically">;

const fileIn = (stateFolder: string): string => join(stateFolder, "enforcement.json");

export const writeRecord = (system: Files, stateFolder: string, record: EnforcementRecord): void =>
  system.writeAtomically(fileIn(stateFolder), `${JSON.stringify(writtenForm(record))}\n`, 0o600);

/** The sentence too: a daemon of a version before reads it. */
const writtenForm = (record: EnforcementRecord): object =>
  record.state === "reverted" ? { ...record, ...explained(record.reason) } : record;

/**
 * Without a readable record the saved guard decides: only a confirmed one is saved. A machine that has one protects devices, and
 * a damaged record must not make its guard provisional, which would remove it.
 */
export function readRecord(system: Pick<Files, "readText">, stateFolder: string): EnforcementRecord {
  const record = parseRecord(system.readText(fileIn(stateFolder)) ?? "");
  if (record !== undefined) return record;
  return system.readText(join(stateFolder, "guard.nft")) === undefined
    ? { state: "new" }
    : { state: "confirmed", at: new Date(0).toISOString(), by: "system", how: "saved guard" };
}

const fieldsOf: Readonly<Record<string, readonly string[]>> = {
  new: [],
  provisional: ["since", "deadline"],
  reverted: ["at", "reason"],
  confirmed: ["at", "by", "how"],
};

function parseRecord(text: string): EnforcementRecord | undefined {
  try {
    const record = JSON.parse(text) as Readonly<Record<string, unknown>> | null;
    const needed = Object.hasOwn(fieldsOf, String(record?.["state"])) ? fieldsOf[String(record?.["state"])] : undefined;
    if (!record || !needed?.every((field) => typeof record[field] === "string")) return undefined;
    const { coded_reason, reason, ...fields } = record;
    const known = needed.includes("reason") && (isReason(coded_reason) ? coded_reason : reported(String(reason)));
    return { ...fields, ...(known && { reason: known }) } as unknown as EnforcementRecord;
  } catch {
    // Not JSON: damaged, or there is none.
  }
  return undefined;
}
