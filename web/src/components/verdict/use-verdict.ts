import type { Status } from "@portcullis/contract/subsystems/status";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { measuredEveryMs, useConnection, useFallbackInterval } from "../../api/live.tsx";
import { apiQuery } from "../../api/queries.ts";
import { type ReasonTexts, useReason } from "../../i18n/reason.ts";
import { filteringOf } from "../filtering.ts";
import { useLeaks } from "../privacy/leaks.ts";
import { type Counts, countsOf, ofOldParts, type Verdict, verdictOf } from "./verdict.ts";

/** What is known about the protection of the whole network. */
export type Assessment =
  | { readonly kind: "waiting" }
  | { readonly kind: "failed"; readonly query: UseQueryResult<unknown> }
  | { readonly kind: "lost"; readonly verdict: Verdict }
  | {
      readonly kind: "assessed";
      readonly verdict: Verdict;
      readonly counts: Counts;
      /** When the kernel was last compared with the published configuration. */
      readonly verified: string | null;
      /** A query that could not be repeated: its part is old. */
      readonly failed: UseQueryResult<unknown> | undefined;
    };

/** The verdict of the home page, which the bar shows on every page. */
export function useVerdict(): Assessment {
  const every = useFallbackInterval(5000);
  const status = useQuery({ ...apiQuery("status", "status"), refetchInterval: every });
  const egress = useQuery({ ...apiQuery("tunnels", "egress"), refetchInterval: every });
  const kernel = useQuery({ ...apiQuery("enforcement", "reconciler"), refetchInterval: every || measuredEveryMs });
  const dns = useQuery({ ...apiQuery("dns", "status"), refetchInterval: every });
  const leaks = useLeaks();
  const why = useReason();
  const lostSince = useLostSince(status);
  if (lostSince) return { kind: "lost", verdict: { kind: "unreachable", since: lostSince } };
  // No verdict before everything is read: the missing part could be the faulty one.
  const waited = [status, egress, kernel, dns, leaks.query] as readonly UseQueryResult<unknown>[];
  const failed = waited.find((it) => it.data === undefined && it.error) ?? waited.find((it) => it.error);
  if (failed && failed.data === undefined) return { kind: "failed", query: failed };
  if (!status.data || !egress.data || !kernel.data || !dns.data || !leaks.query.data) return { kind: "waiting" };
  const verdict = verdictOf({
    lostSince,
    status: { ...status.data, not_enforced: notEnforced(status.data, why) },
    kernel: kernel.data,
    postures: leaks.query.data,
    egress: egress.data,
    foundLeaking: leaks.found.length,
    lastCheck: leaks.lastVerdict,
    filtering: filteringOf(dns.data),
  });
  return {
    kind: "assessed",
    verdict: failed ? ofOldParts(verdict) : verdict,
    counts: countsOf(leaks.query.data, leaks.found),
    verified: kernel.data.last_run,
    failed,
  };
}

const notEnforced = ({ not_enforced: reason, coded_not_enforced }: Status, why: ReasonTexts): string | null =>
  reason === null ? null : why.line({ reason, coded_reason: coded_not_enforced });

/** Since when the gateway does not respond: by the event stream, or by a failed request. */
function useLostSince({ error, dataUpdatedAt }: UseQueryResult<unknown>): Date | undefined {
  const { state, since } = useConnection();
  if (state === "stale") return since;
  return error instanceof TypeError && dataUpdatedAt > 0 ? new Date(dataUpdatedAt) : undefined;
}
