import type { Policy } from "@portcullis/contract/subsystems/routing";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { allRows, apiQuery } from "../../api/queries.ts";
import { type PolicyRow, rowsOf } from "./rows.ts";

/** The staged policies, which the lists and the editor use. */
export const usePolicies = () => useQuery(allRows("routing", "list"));

const nothing: readonly never[] = [];

/** Rows of the list. Only the policies are required; the other queries fill in when they arrive. */
export function useRows(policies: readonly Policy[]): readonly PolicyRow[] {
  const egress = useQuery({ ...apiQuery("tunnels", "egress"), refetchInterval: 5000 }).data ?? nothing;
  const findings = useFindings().data ?? nothing;
  const staged = useQuery(apiQuery("changes", "show")).data?.staged ?? nothing;
  const hits = useQuery({ ...apiQuery("policyViews", "hits"), refetchInterval: 5000 }).data ?? nothing;
  return useMemo(
    () => rowsOf({ policies, egress, findings, staged, hits }),
    [policies, egress, findings, staged, hits],
  );
}

/** Fetched again whenever a policy changes. */
const useFindings = () =>
  useQuery({ ...apiQuery("policyViews", "conflicts"), queryKey: ["routing", "conflicts"] as never });
