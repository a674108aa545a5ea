import { join } from "node:path";
import type { System } from "./system/system.ts";

/** What was decided about this machine. It is no part of the configuration: a rollback or a copy does not carry it along. */
export type EnforcementRecord =
  | { readonly state: "new" }
  /** In force for the first time, until `deadline` unless it is confirmed. */
  | { readonly state: "provisional"; readonly since: string; readonly deadline: string }
  | { readonly state: "reverted"; readonly at: string; readonly reason: string }
  | { readonly state: "confirmed"; readonly at: string; readonly by: string; readonly how: string };

type Files = Pick<System, "readText" | "writeAtomically">;

const fileIn = (stateFolder: string): string => join(stateFolder, "enforcement.json");

export const writeRecord = (system: Files, stateFolder: string, record: EnforcementRecord): void =>
  system.writeAtomically(fileIn(stateFolder), `${JSON.stringify(record)}\n`, 0o600);

/** A state folder with a saved guard is from a version that kept no record: its guard was in force and confirmed. */
export function readRecord(system: Pick<Files, "readText">, stateFolder: string): EnforcementRecord {
  const text = system.readText(fileIn(stateFolder));
  if (text !== undefined) return parseRecord(text);
  return system.readText(join(stateFolder, "guard.nft")) === undefined
    ? { state: "new" }
    : { state: "confirmed", at: new Date(0).toISOString(), by: "system", how: "upgrade" };
}

/** A record that cannot be read counts as none: what follows is provisional again. */
function parseRecord(text: string): EnforcementRecord {
  try {
    const record = JSON.parse(text) as { readonly state?: unknown } & Readonly<Record<string, unknown>>;
    const fields = { provisional: ["since", "deadline"], reverted: ["at", "reason"], confirmed: ["at", "by", "how"] };
    const needed = fields[record.state as keyof typeof fields];
    if (needed?.every((field) => typeof record[field] === "string")) return record as unknown as EnforcementRecord;
  } catch {
    // Not JSON.
  }
  return { state: "new" };
}
