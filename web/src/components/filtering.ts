import type { DnsStatus } from "@portcullis/contract/subsystems/dns";

/** absent: the gateway answers no DNS queries, or an external program filters them. */
export type Filtering = "on" | "off" | "absent";

const answering: readonly string[] = ["running", "degraded"];

export function filteringOf(dns: Pick<DnsStatus, "status" | "backend" | "filtering_enabled"> | undefined): Filtering {
  if (!dns || !answering.includes(dns.status) || dns.backend === "extfilter") return "absent";
  return dns.filtering_enabled ? "on" : "off";
}
