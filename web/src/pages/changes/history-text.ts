import type { Snapshot } from "@portcullis/contract/subsystems/history";
import type { AuditEntry } from "@portcullis/contract/subsystems/records";
import type { Words } from "../../i18n/en/en.ts";

type Say = Words["changes"];

/** A published state, and whether it was taken back or takes another one back. */
export interface HistoryRow {
  readonly snapshot: Snapshot;
  readonly tookBack: { readonly number: string; readonly reason: string } | undefined;
  readonly wasTakenBack: boolean;
}

/** The audit log is written with the state it tells of. */
const togetherMs = 2000;

/** The log knows why a change was taken back; the states know only that one was. */
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

/** "create_device" → "Added a device"; what nobody has words for is told as it is. */
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

/** People who did not sign in, and the gateway itself, have names that are words. */
export const actorWords = (actor: string, say: Say): string =>
  actor === "anonymous" ? say.anonymous : actor === "system" ? say.system : actor;
