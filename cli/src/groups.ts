/** The kinds by task, for the help. A test finds a kind that no group has. */
export const groups: readonly { readonly title: string; readonly kinds: readonly string[] }[] = [
  {
    title: "See what is going on",
    kinds: ["status", "health", "observer", "alerts", "anomalies", "events", "traffic", "metrics", "platform"],
  },
  {
    title: "Devices",
    kinds: [
      "devices",
      "device-groups",
      "trust-classes",
      "privacy-classes",
      "exceptions",
      "pause",
      "privacy",
      "schedules",
    ],
  },
  {
    title: "Tunnels and policies",
    kinds: ["tunnels", "policies", "proxy", "profiles", "chains", "conflicts", "evaluate", "policy-hits", "postures"],
  },
  { title: "Changes", kinds: ["changes", "snapshots", "rollback", "audit", "validate", "apply", "backup"] },
  {
    title: "DNS",
    kinds: [
      "dns",
      "services",
      "blocklist",
      "allowlist",
      "filter-rules",
      "presets",
      "threat-feeds",
      "rewrites",
      "zones",
      "records",
      "forwarders",
      "rotation",
      "extfilter",
    ],
  },
  {
    title: "Network of the gateway",
    kinds: ["interfaces", "segments", "bridges", "vlan", "dhcp", "router-advertisements", "captive"],
  },
  {
    title: "Proof of protection",
    kinds: [
      "leak-check",
      "leak-matrix",
      "fail-matrix",
      "drift",
      "reconcile",
      "enforce",
      "enforcement",
      "confirm",
      "render",
    ],
  },
  { title: "Diagnostics", kinds: ["capture"] },
  {
    title: "Access and notifications",
    kinds: ["keys", "secrets", "settings", "alert-channels", "alert-deliveries", "mqtt", "pq-crypto"],
  },
];
