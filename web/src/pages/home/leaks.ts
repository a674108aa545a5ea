import type { PrivacyStatus } from "@portcullis/contract/subsystems/privacy";
import { useQuery } from "@tanstack/react-query";
import { reading } from "../../line/reading.ts";
import { useMay } from "../../line/session.tsx";
import type { PrivacyOfDevice } from "../../parts/privacy/verdicts.ts";

/** When leaks were last looked for, and whom the check found leaking that nobody lets go on purpose. */
export function useLeaks(): {
  readonly lastCheck: string | null | undefined;
  readonly lastVerdict: PrivacyStatus["last_verdict"];
  readonly found: readonly PrivacyOfDevice[];
} {
  const may = useMay();
  // Only those of this verdict: a house of ten thousand that is tight costs a line.
  const status = useQuery({
    ...reading("privacy", "status", { query: { verdict: "leaking" } }),
    enabled: may(["privacy", "status"]),
    refetchInterval: 15_000,
  }).data;
  return { lastCheck: status?.last_check, lastVerdict: status?.last_verdict ?? null, found: status?.devices ?? [] };
}
