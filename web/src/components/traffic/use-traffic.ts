import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useConnection } from "../../api/live.tsx";
import { apiQuery } from "../../api/queries.ts";
import { useMay } from "../../api/session.tsx";

/** The gateway reads its counters as often at most. No event reports a reading: a visible page requests them. */
const everyMs = 5000;

/** Traffic now and today, while the page is visible. Without a connection there is no "now". */
export function useTraffic() {
  const may = useMay()(["traffic", "summary"]);
  const isLost = useConnection().state === "stale";
  const { data } = useQuery({ ...apiQuery("traffic", "summary"), enabled: may, refetchInterval: everyMs });
  const summary = isLost ? undefined : data;
  const byDevice = useMemo(
    () => (summary?.measuring ? new Map(summary.devices.map((it) => [it.device_id, it])) : undefined),
    [summary],
  );
  return { summary, byDevice };
}
