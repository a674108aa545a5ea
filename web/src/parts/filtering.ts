import type { DnsStatus } from "@portcullis/contract/subsystems/dns";
import { useQuery } from "@tanstack/react-query";
import { reading } from "../line/reading.ts";

/** absent: the gateway answers no DNS queries, or an external program filters them. */
export type Filtering = "on" | "off" | "absent";

export function filteringOf(dns: Pick<DnsStatus, "status" | "backend" | "filtering_enabled"> | undefined): Filtering {
  if (!dns || dns.status === "failed" || dns.backend === "extfilter") return "absent";
  return dns.filtering_enabled ? "on" : "off";
}

export const useFiltering = (): Filtering =>
  filteringOf(useQuery({ ...reading("dns", "status"), refetchInterval: 10_000 }).data);
