import type { Snapshot } from "@portcullis/contract/subsystems/history";
import type { AuditEntry } from "@portcullis/contract/subsystems/records";
import type { Words } from "../../i18n/en/en.ts";

type Say = Words["changes"];

/** A snapshot, and whether it was reverted or reverts another one. */
export interface HistoryRow {
  readonly snapshot: Snapshot;
  readonly tookBack: { readonly number: string; readonly reason: string } | undefined;
  readonly wasTakenBack: boolean;
}

/** The audit entry is written together with its snapshot. */
const togetherMs = 2000;

/** The audit log has the reason of a revert; the snapshots only have the fact. */
export function historyOf(snapshots: readonly Snapshot[], reverts: readonly AuditEntry[]): HistoryRow[] {
  const takenBack = new Set(reverts.map(({ resource_id }) => resource_id));
  const told = reverts.map((entry) => ({ entry, at: Date.parse(entry.timestamp) }));
  return snapshots.map((snapshot) => {
    const at = Date.parse(snapshot.created_at);
    const revert =
      snapshot.cause === "revert_change" ? told.find((it) => Math.abs(it.at - at) <= togetherMs)?.entry : undefined;
    return {
      snapshot,
      tookBack: revert && { number: revert.resource_id, reason: reasonOf(revert) },
      wasTakenBack: takenBack.has(snapshot.id),
    };
  });
}

const reasonOf = ({ details }: AuditEntry): string => (typeof details["reason"] === "string" ? details["reason"] : "");

/** "create_device" → "Added a device"; unknown causes are shown as they are. */
export function causeWords(cause: string, { whole, verbs, nouns }: Say["cause"]): string {
  if (whole[cause] !== undefined) return whole[cause];
  const [verb = "", ...rest] = cause.split("_");
  const noun = rest.join("_");
  if (verbs[verb] === undefined) return cause.replaceAll("_", " ");
  return `${verbs[verb]} ${nouns[noun] ?? noun.replaceAll("_", " ")}`;
}

export const rowWords = ({ snapshot, tookBack }: HistoryRow, say: Say): string =>
  tookBack
    ? say.tookBack(tookBack.number, say.reasons[tookBack.reason] ?? tookBack.reason)
    : causeWords(snapshot.cause, say.cause);

/** Users without a session, and the gateway itself, have translated names. */
export const actorWords = (actor: string, say: Say): string =>
  actor === "anonymous" ? say.anonymous : actor === "system" ? say.system : actor;
