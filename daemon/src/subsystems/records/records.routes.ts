import { pageLimit } from "@portcullis/contract/collection";
import type { Caller, HandlersOf } from "@portcullis/contract/handler";
import { Problem } from "@portcullis/contract/problem";
import type { audit, references } from "@portcullis/contract/subsystems/records";
import type { Records } from "../../ledger/records.ts";
import { decodeNumber, encodeCursor } from "../resources.ts";
import type { referenceService } from "./references.service.ts";

/** `seen`: the kinds that a caller may read. Of others the entries have no details and no name. */
export const auditRoutes = (
  records: Records,
  seen: (caller: Caller | undefined) => (kind: string) => boolean,
): HandlersOf<typeof audit> => ({
  list: ({ query: { limit = pageLimit.default, cursor, since, until, ...exact } }, { caller }) => {
    const found = records.searchAudit({
      ...exact,
      since: since && utc(since),
      until: until && utc(until),
      before: cursor === undefined ? undefined : decodeNumber(cursor),
      limit: limit + 1,
    });
    const isSeen = seen(caller);
    const items = found.slice(0, limit).map((entry) => {
      const details = isSeen(entry.resource_type) ? entry.details : {};
      return { ...entry, details, resource_name: nameIn(details) };
    });
    return { items, next: found.length > limit ? encodeCursor(String(items.at(-1)!.id)) : undefined };
  },
});

const nameIn = ({ name }: Readonly<Record<string, unknown>>): string | null => (typeof name === "string" ? name : null);

/** Times are stored in UTC with milliseconds, so that they compare as text. Leap seconds are refused: Date does not support them. */
function utc(timestamp: string): string {
  const time = new Date(timestamp);
  if (Number.isNaN(time.getTime())) throw new Problem("invalid_request", { timestamp });
  return time.toISOString();
}

export const referenceRoutes = (service: ReturnType<typeof referenceService>): HandlersOf<typeof references> => ({
  show: ({ params: { type, id } }) => service.show(type, id),
});
