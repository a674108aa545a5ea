type State = "protected" | "blocked" | "direct" | "leaking" | "unknown";

const ends: Readonly<Record<State, string>> = {
  protected: "to the internet.",
  blocked: "and is blocked: nothing passes.",
  direct: "straight to the internet, by choice.",
  leaking: "to the internet outside a tunnel, against a policy.",
  unknown: "to the internet; the state is not known.",
};

const bypasses = {
  direct: "and goes straight to the internet, as its policy allows.",
  leaking: "and reaches the internet outside its tunnel, against a policy.",
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
  splitting_endpoint: "splitting endpoint",
  uplinks: "uplinks",
  privacy: "privacy for everybody",
  leak_monitor: "leak monitor",
  dns_filter_rule: "filter rule",
  dns_allow_entry: "allowed name",
  dns_block_entry: "blocked name",
  dns_rewrite: "rewrite",
  dns_zone: "zone",
  dns_record: "record",
  dns_forwarder: "forwarder",
  dns_rotation: "forwarder rotation",
  dns_list: "list",
  dns_options: "DNS options",
  dns_extfilter: "outside filter",
};

export const differences = {
  none: "Nothing differs.",
  kinds,
  added: (kind: string, name: string) => `New ${kind} ${name}`,
  removed: (kind: string, name: string) => `Removed ${kind} ${name}`,
  changed: (kind: string, name: string) => `Changed ${kind} ${name}`,
  raw: "Fields",
  more: (count: number) => `and ${count} more`,
  /** What a change of one field means, where people have words for it. */
  fields: {
    priority: (before: number, after: number) =>
      after < before ? `heard earlier: ${after}, was ${before}` : `heard later: ${after}, was ${before}`,
    switched: (on: boolean): string => (on ? "switched on" : "switched off"),
    renamed: (before: string) => `was called ${before}`,
    through: (before: string, after: string) => `goes ${after}; before, ${before}`,
    hops: (names: readonly string[]) => (names.length > 0 ? `through ${names.join(", then ")}` : "straight"),
    profile: (before: string | null, after: string | null) =>
      after === null ? `no longer follows profile ${before}` : `follows profile ${after}`,
    split: (on: boolean): string => (on ? "spreads over its tunnels" : "chains its tunnels"),
    fails: {
      "fail-closed": "blocked when a hop fails",
      "fail-open": "direct when a hop fails",
      "fail-over": "left to the next policy when a hop fails",
    },
    failsNow: (after: string, before: string) => `${after}; before, ${before}`,
    source: (after: string, before: string) => `speaks of ${after}; before, of ${before}`,
  },
};

export const staging = {
  waits: (count: number) => (count === 1 ? "1 change is staged" : `${count} changes are staged`),
  notYet: "Nothing of it runs yet.",
  trialFirst: "Decide about the change on trial first.",
  see: "See changes",
  apply: "Apply",
  tryFor: "Try for 2 minutes",
  applied: "Applied",
  onTrial: "On trial: it is taken back by itself unless you keep it",
};

interface PolicyText {
  readonly source: string;
  readonly through: readonly string[];
  readonly profile: string | null;
  readonly splitting: boolean;
  readonly fail: "fail-closed" | "fail-open" | "fail-over";
}

const withoutHops = {
  "fail-closed": "does not reach the internet",
  "fail-open": "goes straight to the internet",
  "fail-over": "is left to the next policy",
};

export const paths = {
  kinds: { vpn: "tunnel", interface: "interface", proxy: "proxy", mesh_peer: "mesh peer" },
  tunnelKinds: { wireguard: "WireGuard", openvpn: "OpenVPN" },
  statuses: { down: "off", connecting: "connecting", up: "up", degraded: "carries badly", failed: "does not answer" },
  gone: "does not exist",
  sources: {
    all: (): string => "Everything",
    interface: (value: string) => `What arrives at ${value}`,
    vlan: (value: string) => `VLAN ${value}`,
    subnet: (value: string) => `Network ${value}`,
    device: (value: string) => value,
    device_group: (value: string) => `Group ${value}`,
    destination: (value: string) => `What goes to ${value}`,
    domain: (value: string) => `Names under ${value}`,
  },
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
    if (profile !== null) return `${source} goes as profile ${profile} says`;
    if (through.length === 0) return `${source} ${withoutHops[fail]}`;
    return `${source} goes through ${through.join(splitting ? " and " : ", then ")}; ${fails[fail]}`;
  },
};

export const domainActions = {
  change: "Block or allow",
  title: (name: string) => `${name} and all names below it, for good`,
  block: (whom: string) => `Block for ${whom}`,
  allow: (whom: string) => `Allow for ${whom}`,
  everyone: "everyone",
  group: (name: string) => `group ${name}`,
  done: {
    block: (name: string, whom: string) => `${name} is blocked for ${whom}`,
    allow: (name: string, whom: string) => `${name} is allowed for ${whom}`,
  },
};

const counted = (count: number, one: string, many: string) => (count === 1 ? `1 ${one}` : `${count} ${many}`);
const references: Readonly<Record<string, (count: number) => string>> = {
  routing_policies: (count) => counted(count, "policy", "policies"),
  profiles: (count) => counted(count, "profile", "profiles"),
  proxies: (count) => counted(count, "proxy", "proxies"),
  splitting_endpoints: (count) => counted(count, "endpoint of the splitting", "endpoints of the splitting"),
};

export const removal = {
  title: (name: string) => `Remove ${name}`,
  done: (name: string) => `${name} is removed`,
  stillUsed: (name: string) => `${name} is still used. Lead these elsewhere first:`,
  references,
  toPolicies: "To the policies",
};
