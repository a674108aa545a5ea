import type { Policy } from "@portcullis/contract/subsystems/routing";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { everyRow, reading } from "../../api/reading.ts";
import { type PolicyRow, rowsOf } from "./rows.ts";

/** The staged policies, which the lists and the editor use. */
export const usePolicies = () => useQuery(everyRow("routing", "list"));

const nothing: readonly never[] = [];

/** Rows of the list. Only the policies are required; the other queries fill in when they arrive. */
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

/** Fetched again whenever a policy changes. */
const useFindings = () =>
  useQuery({ ...reading("policyViews", "conflicts"), queryKey: ["routing", "conflicts"] as never });
