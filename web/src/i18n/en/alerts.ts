const severities = { critical: "Critical", warning: "Warning", info: "Info" };

export const alerts = {
  subtitle: "What needs attention, and what did",
  activeTitle: "Open alerts",
  none: "No open alerts.",
  resolvedTitle: "Resolved",
  severities,
  raised: "Raised",
  times: (count: number) => `${count} times, last`,
  acknowledgedBy: (actor: string) => `acknowledged by ${actor}`,
  resolvedBy: (actor: string) =>
    actor === "system"
      ? "resolved by itself"
      : actor === "restart"
        ? "resolved with a restart of the daemon"
        : `resolved by ${actor}`,
  acknowledge: "Acknowledge",
  resolve: "Resolve",
  rulesTitle: "Rules",
  rules: {
    "leak-detected": "A device has a leak",
    "killswitch-engaged": "A policy blocks its devices because its hops are down",
    "direct-fallback": "A policy uses the direct connection because its hops are down",
    "tunnel-down": "A tunnel is down",
    "tunnel-flap": "A tunnel changes between up and down repeatedly",
    "dns-plane-down": "DNS does not work",
    "dns-bypass": "A device uses another resolver",
    "drift-detected": "Another program changed the rules of the gateway",
    "new-device": "A new device is on the LAN",
  },
  disabled: "Disabled",
  muted: "Muted",
  edit: (rule: string) => `Edit: ${rule}`,
  saved: "The rule is saved.",
  fields: {
    enabled: "Enabled",
    severity: { label: "Severity", options: severities },
    threshold: { label: "Threshold", hint: "So often a cause occurs within the window before an alert is raised." },
    window_sec: {
      label: "Window",
      hint: "An alert without an end of its own is resolved when its cause did not occur for this long.",
    },
    cooldown_sec: {
      label: "Cooldown",
      hint: "If the cause returns within this time, the resolved alert is active again.",
    },
    muted_until: { label: "Muted until", hint: "Nothing is raised until then." },
    muted_resources: {
      label: "Mute only",
      hint: "Names or ids of devices, policies or tunnels. Without a time they are muted without an end.",
    },
  },
};
