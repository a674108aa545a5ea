import type { Snapshot } from "@portcullis/contract/subsystems/history";
import type { AuditEntry } from "@portcullis/contract/subsystems/records";
import type { Messages } from "../../i18n/en/en.ts";

type Texts = Messages["changes"];

/** A snapshot, and whether it was reverted or reverts another one. */
export interface HistoryRow {
  readonly snapshot: Snapshot;
  readonly revertOf: { readonly number: string; readonly reason: string } | undefined;
  readonly wasReverted: boolean;
}

/** The audit entry is written together with its snapshot. */
const togetherMs = 2000;

/** The audit log has the reason of a revert; the snapshots only have the fact. */
export function historyOf(snapshots: readonly Snapshot[], reverts: readonly AuditEntry[]): HistoryRow[] {
  const reverted = new Set(reverts.map(({ resource_id }) => resource_id));
  const entries = reverts.map((entry) => ({ entry, at: Date.parse(entry.timestamp) }));
  return snapshots.map((snapshot) => {
    const at = Date.parse(snapshot.created_at);
    const revert =
      snapshot.cause === "revert_change" ? entries.find((it) => Math.abs(it.at - at) <= togetherMs)?.entry : undefined;
    return {
      snapshot,
      revertOf: revert && { number: revert.resource_id, reason: reasonOf(revert) },
      wasReverted: reverted.has(snapshot.id),
    };
  });
}

const reasonOf = ({ details }: AuditEntry): string => (typeof details["reason"] === "string" ? details["reason"] : "");

/** "create_device" → "Added a device"; unknown causes are shown as they are. */
export function causeText(cause: string, { whole, verbs, nouns }: Texts["cause"]): string {
  if (whole[cause] !== undefined) return whole[cause];
  const [verb = "", ...rest] = cause.split("_");
  const noun = rest.join("_");
  if (verbs[verb] === undefined) return cause.replaceAll("_", " ");
  return `${verbs[verb]} ${nouns[noun] ?? noun.replaceAll("_", " ")}`;
}

export const rowText = ({ snapshot, revertOf }: HistoryRow, t: Texts): string =>
  revertOf
    ? t.revertOf(revertOf.number, t.reasons[revertOf.reason] ?? revertOf.reason)
    : causeText(snapshot.cause, t.cause);

/** Users without a session, and the gateway itself, have translated names. */
export const actorText = (actor: string, t: Texts): string =>
  actor === "anonymous" ? t.anonymous : actor === "system" ? t.system : actor;
