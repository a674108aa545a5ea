import type { PrivacyStatus } from "@portcullis/contract/subsystems/privacy";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useFallbackInterval } from "../../api/live.tsx";
import { apiQuery } from "../../api/queries.ts";
import { useMay } from "../../api/session.tsx";
import type { PrivacyOfDevice } from "./verdicts.ts";

/** Time of the last leak check, and the devices it found leaking. */
export function useLeaks(): {
  readonly lastCheck: string | null | undefined;
  readonly query: UseQueryResult<PrivacyStatus>;
  readonly lastVerdict: PrivacyStatus["last_verdict"];
  readonly found: readonly PrivacyOfDevice[];
} {
  const may = useMay();
  // Requests devices of this verdict only: for ten thousand devices without a leak the response is one line.
  const query = useQuery({
    ...apiQuery("privacy", "status", { query: { verdict: "leaking" } }),
    enabled: may(["privacy", "status"]),
    refetchInterval: useFallbackInterval(15_000),
  });
  const status = query.data;
  return {
    query,
    lastCheck: status?.last_check,
    lastVerdict: status?.last_verdict ?? null,
    found: status?.devices ?? [],
  };
}
