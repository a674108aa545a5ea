import type { TrafficSummary } from "@portcullis/contract/subsystems/traffic";

export type DeviceTraffic = TrafficSummary["devices"][number];

/** Both directions together; null: not measured. */
export const totalRate = (
  it: Pick<DeviceTraffic, "received_bytes_per_sec" | "sent_bytes_per_sec"> | undefined,
): number | null =>
  it?.received_bytes_per_sec == null || it.sent_bytes_per_sec === null
    ? null
    : it.received_bytes_per_sec + it.sent_bytes_per_sec;
