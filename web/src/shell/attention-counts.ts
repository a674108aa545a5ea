import { useQuery } from "@tanstack/react-query";
import { useFallbackInterval } from "../api/live.tsx";
import { apiQuery } from "../api/queries.ts";
import { useMay } from "../api/session.tsx";

/** How much waits on a page, by its address. */
export type Attention = Readonly<Record<string, number>>;

export function useAttentionCounts(): Attention {
  const may = useMay();
  const every = useFallbackInterval(10_000);
  const unknown = useQuery({
    ...apiQuery("discovery", "list", { query: { known: false, limit: 1 } }),
    enabled: may(["discovery", "list"]),
    refetchInterval: every,
  }).data;
  const alerts = useQuery({
    ...apiQuery("alerts", "active"),
    enabled: may(["alerts", "active"]),
    refetchInterval: every,
  }).data;
  return {
    "/devices": unknown?.total ?? 0,
    "/alerts": alerts?.filter(({ state }) => state === "active").length ?? 0,
  };
}
