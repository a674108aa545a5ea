import type { Policy } from "@portcullis/contract/subsystems/routing";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { everyRow, reading } from "../../api/reading.ts";
import { type PolicyRow, rowsOf } from "./rows.ts";

/** The policies as they are staged: what the lists and the editor work on. */
export const usePolicies = () => useQuery(everyRow("routing", "list"));

const nothing: readonly never[] = [];

/** Rows for the list. Only the policies are waited for; what is known of them comes when it comes. */
export function useRows(policies: readonly Policy[]): readonly PolicyRow[] {
  const egress = useQuery({ ...reading("tunnels", "egress"), refetchInterval: 5000 }).data ?? nothing;
  const findings = useFindings().data ?? nothing;
  const staged = useQuery(reading("changes", "show")).data?.staged ?? nothing;
  const hits = useQuery({ ...reading("policyViews", "hits"), refetchInterval: 5000 }).data ?? nothing;
  return useMemo(
    () => rowsOf({ policies, egress, findings, staged, hits }),
    [policies, egress, findings, staged, hits],
  );
}

/** Asked anew whenever a policy changes. */
const useFindings = () =>
  useQuery({ ...reading("policyViews", "conflicts"), queryKey: ["routing", "conflicts"] as never });
