export const pqCrypto = {
  title: "Post-quantum TLS",
  intro:
    "A connection that is recorded today can be read with a future quantum computer, unless its keys were exchanged by a post-quantum group. The mode applies to sessions that the gateway opens from now on; open ones keep theirs.",
  change: "Change",
  saved: "The mode applies to new sessions.",
  modes: {
    default: "Default: what the TLS library offers",
    preferred: "Preferred: post-quantum groups first, classic ones if the server has no other",
    required: "Required: post-quantum groups only",
  },
  mode: {
    label: "Mode",
    hint: "Required: servers without post-quantum key exchange are not reached. Their alerts, lists and DNS queries fail.",
  },
  offered: "Groups offered now",
  connections: "Connections over TLS",
  purpose: "Purpose",
  program: "Program",
  governs: "By the mode",
  yes: "Yes",
  no: "No: TLS of the system",
  kinds: {
    alert_channels: "Alerts: webhook, Telegram, mail, ntfy, MQTT, browsers",
    home_assistant: "Home Assistant (MQTT)",
    external_filter: "External DNS filter",
    block_lists: "Downloads of block lists",
    address_echo: "Echo page of the leak check",
    dns_upstreams: "DNS upstreams over TLS and HTTPS",
    captive_portal: "Check for captive portals",
    openvpn: "OpenVPN tunnels",
  },
};
