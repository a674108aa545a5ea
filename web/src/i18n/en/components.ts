type State = "protected" | "blocked" | "direct" | "leaking" | "unknown";

const ends: Readonly<Record<State, string>> = {
  protected: "to the internet.",
  blocked: "and is blocked.",
  direct: "directly to the internet, as configured.",
  leaking: "to the internet outside a tunnel, against its policy.",
  unknown: "to the internet; its state is unknown.",
};

const bypasses = {
  direct: "and goes directly to the internet, as its policy allows.",
  leaking: "and reaches the internet outside its tunnel, against its policy.",
};

export const ribbon = {
  internet: "internet",
  noHops: "no VPN",
  isDown: (name: string) => `${name}, which is down,`,
  sentence: (from: string, hops: readonly string[], state: State, bypass?: boolean) =>
    bypass
      ? `${from} bypasses ${hops.join(", then ")} ${bypasses[state === "leaking" ? "leaking" : "direct"]}`
      : [`${from} goes`, hops.length > 0 && `through ${hops.join(", then ")}`, ends[state]].filter(Boolean).join(" "),
};

const kinds: Readonly<Record<string, string>> = {
  routing_policy: "policy",
  routing_policies: "policy",
  device: "device",
  device_group: "group",
  trust_class: "trust class",
  privacy_class: "privacy class",
  profile: "profile",
  chain: "chain",
  tunnel: "tunnel",
  proxy: "proxy",
  bridge: "bridge",
  setting: "setting",
  secret: "secret",
  splitting_endpoint: "pool member",
  uplinks: "uplinks",
  privacy: "default privacy settings",
  alert_channel: "alert channel",
  alert_rule: "alert rule",
  anomaly_detection: "detection of anomalies",
  leak_monitor: "leak monitor",
  mqtt: "MQTT connection",
  dns_filter_rule: "filter rule",
  dns_allow_entry: "allowed domain",
  dns_block_entry: "blocked domain",
  dns_rewrite: "rewrite",
  dns_zone: "zone",
  dns_record: "record",
  dns_forwarder: "forwarder",
  dns_rotation: "upstream selection",
  dns_list: "list",
  dns_options: "DNS options",
  dns_extfilter: "external filter",
};

export const differences = {
  none: "No differences.",
  kinds,
  added: (kind: string, name: string) => `New ${kind} ${name}`,
  removed: (kind: string, name: string) => `Removed ${kind} ${name}`,
  changed: (kind: string, name: string) => `Changed ${kind} ${name}`,
  raw: "Fields",
  more: (count: number) => `and ${count} more`,
  /** Phrases for the change of one field. */
  fields: {
    priority: (before: number, after: number) =>
      after < before
        ? `checked earlier: priority ${after}, was ${before}`
        : `checked later: priority ${after}, was ${before}`,
    switched: (on: boolean): string => (on ? "switched on" : "switched off"),
    renamed: (before: string) => `renamed from ${before}`,
    through: (before: string, after: string) => `goes ${after}; before: ${before}`,
    hops: (names: readonly string[]) => (names.length > 0 ? `through ${names.join(", then ")}` : "direct"),
    profile: (before: string | null, after: string | null) =>
      after === null ? `no longer uses profile ${before}` : `uses profile ${after}`,
    schedule: (before: string | null, after: string | null) =>
      after === null ? `no longer waits for schedule ${before}` : `applies while schedule ${after} is active`,
    split: (on: boolean): string => (on ? "balances over its tunnels" : "chains its tunnels"),
    fails: {
      "fail-closed": "blocked when a hop is down",
      "fail-open": "direct when a hop is down",
      "fail-over": "next policy when a hop is down",
    },
    failsNow: (after: string, before: string) => `${after}; before: ${before}`,
    source: (after: string, before: string) => `applies to ${after}; before: ${before}`,
  },
};

export const staging = {
  waits: (count: number) => (count === 1 ? "1 pending change" : `${count} pending changes`),
  notYet: "Not active yet.",
  trialFirst: "Keep or revert the change on trial first.",
  see: "View changes",
  apply: "Apply",
  tryFor: "Try for 2 minutes",
  applied: "Applied",
  onTrial: "On trial: reverts by itself unless you keep it",
};

interface PolicyText {
  readonly source: string;
  readonly through: readonly string[];
  readonly profile: string | null;
  readonly splitting: boolean;
  readonly fail: "fail-closed" | "fail-open" | "fail-over";
}

const withoutHops = {
  "fail-closed": "is blocked",
  "fail-open": "goes directly to the internet",
  "fail-over": "is left to the next policy",
};

export const paths = {
  kinds: { vpn: "tunnel", interface: "interface", proxy: "proxy", mesh_peer: "mesh peer" },
  tunnelKinds: { wireguard: "WireGuard", openvpn: "OpenVPN" },
  statuses: { down: "off", connecting: "connecting", up: "up", degraded: "degraded", failed: "not responding" },
  gone: "does not exist",
  sources: {
    all: (): string => "All traffic",
    interface: (value: string) => `Traffic from ${value}`,
    vlan: (value: string) => `VLAN ${value}`,
    subnet: (value: string) => `Network ${value}`,
    device: (value: string) => value,
    device_group: (value: string) => `Group ${value}`,
    destination: (value: string) => `Traffic to ${value}`,
    domain: (value: string) => `Traffic to ${value} and its subdomains`,
  },
  whileActive: (schedule: string, sentence: string) => `While “${schedule}” is active: ${sentence}`,
  sentence: ({ source, through, profile, splitting, fail }: PolicyText) => {
    const fails = {
      "fail-closed":
        through.length > 2 && !splitting
          ? "blocked if any fails"
          : through.length === 2 && !splitting
            ? "blocked if either fails"
            : "blocked if that fails",
      "fail-open": "direct if that fails",
      "fail-over": "the next policy decides if that fails",
    };
    if (profile !== null) return `${source} uses profile ${profile}`;
    if (through.length === 0) return `${source} ${withoutHops[fail]}`;
    return `${source} goes through ${through.join(splitting ? " and " : ", then ")}; ${fails[fail]}`;
  },
};

export const domainActions = {
  change: "Block or allow",
  title: (name: string) => `${name} and its subdomains, permanently`,
  block: (whom: string) => `Block for ${whom}`,
  allow: (whom: string) => `Allow for ${whom}`,
  everyone: "everyone",
  group: (name: string) => `group ${name}`,
  done: {
    block: (name: string, whom: string) => `${name} blocked for ${whom}`,
    allow: (name: string, whom: string) => `${name} allowed for ${whom}`,
  },
};

const counted = (count: number, one: string, many: string) => (count === 1 ? `1 ${one}` : `${count} ${many}`);
const references: Readonly<Record<string, (count: number) => string>> = {
  routing_policies: (count) => counted(count, "policy", "policies"),
  profiles: (count) => counted(count, "profile", "profiles"),
  proxies: (count) => counted(count, "proxy", "proxies"),
  splitting_endpoints: (count) => counted(count, "pool member", "pool members"),
};

export const removal = {
  title: (name: string) => `Remove ${name}`,
  done: (name: string) => `${name} removed`,
  stillUsed: (name: string) => `${name} is in use. Change these first:`,
  references,
  toPolicies: "Go to policies",
};
