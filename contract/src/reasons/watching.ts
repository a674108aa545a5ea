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
  alert_port_scan: {
    text: "{name} tried at least {targets} different addresses and ports",
    params: { name: "text", targets: "number" },
  },
  alert_port_scan_examples: {
    text: "{name} tried at least {targets} different addresses and ports, such as {examples}",
    params: { name: "text", targets: "number", examples: "texts" },
  },
  alert_port_scan_incomplete: {
    text: "{packets} new connections were not recorded, because too many different ones are; a port scan may not be found",
    params: { packets: "number" },
  },
  scans_not_read_yet: { text: "the new connections of devices have not been read yet" },
  scans_not_read: {
    text: "port scans are not found: the new connections of devices cannot be read: {why}",
    params: { why: "reason" },
  },
  scans_incomplete: {
    text: "some new connections were not recorded within the last 15 minutes, because too many different ones are; a port scan may not be found",
  },
  scans_read: {
    text: "new connections are compared; within 15 minutes {senders} devices opened some",
    params: { senders: "number" },
  },
  alert_drift: {
    text: "another program changed the rules of the gateway: {first}, {items} in total; they were restored",
    params: { first: "text", items: "number" },
  },
  alert_new_device: { text: "{name} is a new device on {interface}", params: { name: "text", interface: "text" } },
  alert_test: { text: "this is a test of the alert channel {name}", params: { name: "text" } },
  delivery_accepted: { text: "the receiver accepted the message" },
  delivery_answered: { text: "the receiver accepted the message: {answer}", params: { answer: "text" } },
  delivery_status: { text: "the receiver answered {status}", params: { status: "number" } },
  delivery_status_answer: {
    text: "the receiver answered {status}: {answer}",
    params: { status: "number", answer: "text" },
  },
  delivery_partial: {
    text: "the mail server refused {addresses}: {answer}; the other recipients have the message",
    params: { addresses: "texts", answer: "text" },
  },
  push_ended: {
    text: "the browser has ended its subscription, and the channel is disabled: subscribe again in this browser",
  },
  delivery_expired: {
    text: "given up after {attempts} attempts in three days: {why}",
    params: { attempts: "number", why: "reason" },
  },
  alert_channels_none: { text: "no alert channel is enabled, so alerts are shown here only" },
  alert_channels_unused: {
    text: "{channels} alert channels have sent nothing with their settings yet; `portcullis alert-channels test` sends a message",
    params: { channels: "number" },
  },
  alert_channels_refused: {
    text: "alerts did not reach the receivers of {channels} alert channels; see `portcullis alert-deliveries list`",
    params: { channels: "number" },
  },
  alert_channels_failing: {
    text: "{channels} alert channels cannot reach their receiver and try again; see `portcullis alert-deliveries list`",
    params: { channels: "number" },
  },
  alert_channels_working: { text: "the last message of each alert channel was accepted" },
  mqtt_off: { text: "the connection to an MQTT broker is not enabled" },
  mqtt_connecting: { text: "the gateway connects to the MQTT broker" },
  mqtt_connected: { text: "the MQTT broker has the current states" },
  mqtt_accepted: { text: "the MQTT broker accepted the connection and a message" },
  mqtt_login_refused: { text: "the MQTT broker refused the user or the password" },
  mqtt_refused: { text: "the MQTT broker refused the connection with code {number}", params: { number: "number" } },
  mqtt_unreachable: { text: "there is no connection to the MQTT broker: {why}", params: { why: "reason" } },
  mqtt_failing: {
    text: "{why}; Home Assistant gets no states, see `portcullis mqtt status`",
    params: { why: "reason" },
  },
  alert_new_devices: { text: "{count} new devices are on the LAN", params: { count: "number" } },
} as const satisfies ReasonTemplates;
