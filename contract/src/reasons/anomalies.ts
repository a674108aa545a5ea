import type { ReasonTemplates } from "./template.ts";

/** What is unusual about a device, and why a detector is not available. */
export const anomalyReasons = {
  anomaly_upload_day: {
    text: "it uploaded {observed} MiB within 24 hours; the largest day of its baseline has {expected} MiB",
    params: { observed: "number", expected: "number" },
  },
  anomaly_upload_new: {
    text: "it uploaded {observed} MiB more to {destination}, a new destination, than it received; its baseline for a new one is {expected} MiB at most",
    params: { destination: "text", observed: "number", expected: "number" },
  },
  anomaly_beaconing: {
    text: "it connects to {destination}, a new destination, every {interval_ms}, and the intervals vary by {percent} %",
    params: { destination: "text", interval_ms: "ms", percent: "number" },
  },
  anomaly_dns_tunnelling: {
    text: "it queried {names} different names below {domain} within six hours, which have {characters} characters and {bits} bits of entropy per character on average",
    params: { domain: "text", names: "number", characters: "number", bits: "number" },
  },
  anomaly_new_country: {
    text: "it opened {connections} connections to {country}, to which it had none, the last to {destination}",
    params: { country: "text", connections: "number", destination: "text" },
  },
  anomaly_unusual_hours: {
    text: "it is active since {since}, with {observed} MiB per hour; at these hours its baseline has {expected} MiB at most",
    params: { since: "time", observed: "number", expected: "number" },
  },
  anomaly_query_rate: {
    text: "it sent {observed} DNS queries within an hour; the largest hour of its baseline has {expected}",
    params: { observed: "number", expected: "number" },
  },
  anomalies_disabled: { text: "the detection of anomalies is switched off" },
  countries_not_installed: {
    text: "the lists of the package tor-geoipdb, with the countries of addresses, are not installed",
  },
} as const satisfies ReasonTemplates;
