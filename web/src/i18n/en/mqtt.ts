export const mqtt = {
  title: "Home Assistant (MQTT)",
  intro:
    "Publishes the status, tunnels, leaks, alerts, DNS counters and device counts to an MQTT broker. Home Assistant finds them by itself.",
  settings: "Settings",
  saved: "The MQTT settings are saved.",
  states: { off: "Off", connecting: "Connecting", connected: "Connected", failed: "Not connected" },
  since: "Connected",
  entities: (count: number, unavailable: number) =>
    unavailable === 0 ? `${count} entities` : `${count} entities, ${unavailable} of them without a value now`,
  test: "Send a test",
  testing: "Sending a test …",
  fields: {
    enabled: "Enabled",
    host: "Broker",
    port: { label: "Port", hint: "Empty: 8883, without TLS 1883" },
    security: { label: "Encryption", options: { tls: "TLS", none: "None: everything is sent in the clear" } },
    ca: { label: "Trusted certificates", hint: "In PEM form. Empty: the authorities of the system" },
    username: "User",
    password: "Password",
    discovery_prefix: {
      label: "Discovery prefix",
      hint: "As in Home Assistant; homeassistant unless you changed it there",
    },
    base_topic: { label: "Base topic", hint: "First part of the topics with states" },
    configuration_url: { label: "Address of this interface", hint: "Home Assistant links to it. Empty: no link" },
    pause_switch_min: {
      label: "Switch that pauses filtering",
      hint: "Minutes of a pause for everyone. Empty: no switch. Every client of the broker that may write its topic can turn it.",
    },
  },
};
