import type { ReasonTemplates } from "./template.ts";

/** Why an alert was raised, and why devices or traffic are not observed. */
export const watchingReasons = {
  discovery_overloaded: {
    text: "a device on the LAN sends too many messages; they are received again in half a minute",
  },
  vendors_not_installed: { text: "the package ieee-data is not installed" },
  traffic_not_read: { text: "the kernel's counters have not been read yet, or cannot be read" },
  alert_leak: { text: "{name} has a leak: {finding}", params: { name: "text", finding: "reason" } },
  alert_policy_blocked: {
    text: "the hops of policy {name} are down, and its devices are blocked",
    params: { name: "text" },
  },
  alert_policy_direct: {
    text: "the hops of policy {name} are down, and its devices use the direct connection",
    params: { name: "text" },
  },
  alert_tunnel_down: { text: "tunnel {name} is down", params: { name: "text" } },
  alert_tunnel_flap: {
    text: "tunnel {name} changed between up and down {changes} times",
    params: { name: "text", changes: "number" },
  },
  alert_dns_down: { text: "DNS does not work: {why}", params: { why: "reason" } },
  alert_dns_bypass: {
    text: "{name} sent {packets} packets to other resolvers",
    params: { name: "text", packets: "number" },
  },
  alert_drift: {
    text: "another program changed the rules of the gateway: {first}, {items} in total; they were restored",
    params: { first: "text", items: "number" },
  },
  alert_new_device: { text: "{name} is a new device on {interface}", params: { name: "text", interface: "text" } },
  alert_new_devices: { text: "{count} new devices are on the LAN", params: { count: "number" } },
} as const satisfies ReasonTemplates;
