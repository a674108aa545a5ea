const nouns: Readonly<Record<string, string>> = {
  admin: "the administrator account",
  alert: "the alert",
  alert_channel: "the alert channel",
  alert_delivery: "the message about an alert",
  alert_rule: "the alert rule",
  api_key: "the API key",
  block_doh: "the block of encrypted DNS",
  block_ipv6: "the block of IPv6",
  block_webrtc: "the block of STUN",
  bridge: "the bridge",
  captive_portal: "for a captive portal",
  chain: "the chain",
  change: "the change",
  device: "the device",
  device_group: "the group",
  dns_allow_entry: "the allowed domain",
  dns_block_entry: "the blocked domain",
  dns_cache: "the DNS cache",
  dns_domains: "domains",
  dns_extfilter: "the external filter",
  dns_filter_rule: "the filter rule",
  dns_forwarder: "the forwarder",
  dns_list: "the list",
  dns_log: "the DNS log",
  dns_mode: "the DNS mode",
  dns_options: "the DNS options",
  dns_record: "the record",
  dns_rewrite: "the rewrite",
  dns_rotation: "the upstream selection",
  dns_service: "the rule for a service",
  dns_zone: "the zone",
  enforcement: "enforcement",
  exception: "the exception",
  force_dns: "DNS redirection",
  leak_check: "the leak check",
  leak_monitor: "the leak monitor",
  passphrase: "the passphrase of the secrets",
  password: "the password",
  privacy_class: "the privacy class",
  profile: "the profile",
  proxy: "the proxy",
  routing_policies: "the staged policies",
  routing_policy: "the policy",
  secret: "the secret",
  session: "the session",
  session_key: "the key that signs sessions",
  setting: "the setting",
  settings: "the settings",
  snapshot: "the snapshot",
  splitting: "load balancing",
  splitting_endpoint: "the pool member",
  trust_class: "the trust class",
  tunnel: "the tunnel",
  uplinks: "the uplinks",
  segment: "the segment",
  vlan: "the VLAN",
  setup: "the setup",
  dhcp: "DHCP",
  router_advertisements: "the router advertisements",
};

const verbs: Readonly<Record<string, string>> = {
  acknowledge: "acknowledged",
  activate: "switched on",
  admit_guest: "added as a guest",
  allow: "allowed",
  apply: "applied",
  cancel: "cancelled",
  block: "blocked",
  change: "changed",
  check: "checked",
  choose: "selected",
  clear: "cleared",
  confirm: "confirmed",
  create: "created",
  end: "ended",
  delete: "deleted",
  disable: "switched off",
  down: "switched off",
  enable: "switched on",
  flush: "flushed",
  import: "imported",
  link: "linked",
  reconcile: "reconciled",
  refresh: "updated",
  resolve: "resolved",
  retry: "sent again",
  revert: "reverted",
  start: "started",
  rollback: "restored",
  run: "ran",
  set: "set",
  setup: "set up",
  switch: "switched",
  test: "tested",
  toggle: "switched",
  unblock: "unblocked",
  up: "switched on",
  update: "changed",
  upload: "uploaded",
};

const some = ([first, ...rest]: readonly string[]): string =>
  first === undefined ? "domains" : rest.length === 0 ? first : `${first} and ${rest.length} more`;

const of = (name: string): string => (name ? ` of ${name}` : "");

/** Special sentences instead of verb and noun. */
const whole: Readonly<Record<string, (name: string, domains: readonly string[]) => string>> = {
  admit_guest_device: (name) => `added the device ${name} as a guest`,
  link_device: (name) => `linked a new MAC address to the device ${name}`,
  block_dns_domains: (_, domains) => `blocked ${some(domains)}`,
  unblock_dns_domains: (_, domains) => `unblocked ${some(domains)}`,
  create_session: () => "signed in",
  delete_session: (name) => (name ? `ended the session of ${name}` : "signed out"),
  login_failed: (name) => (name ? `failed to sign in as ${name}` : "failed to sign in"),
  setup_admin: (name) => `created the administrator account ${name}`,
  apply_routing_policies: () => "applied the staged policies",
  change_password: () => "changed the password",
  set_passphrase: () => "encrypted the secrets with a new passphrase",
  clear_passphrase: () => "removed the passphrase of the secrets",
  reconcile_enforcement: () => "started a comparison of the kernel with the published configuration",
  clear_dns_log: () => "cleared the DNS log",
  flush_dns_cache: () => "flushed the DNS cache",
  switch_force_dns: (name) => `switched DNS redirection${of(name)}`,
  switch_block_doh: (name) => `switched the block of encrypted DNS${of(name)}`,
  switch_block_ipv6: (name) => `switched the block of IPv6${of(name)}`,
  switch_block_webrtc: (name) => `switched the block of STUN${of(name)}`,
  run_leak_check: (name) => `ran a leak check${of(name)}`,
};

interface EntryText {
  readonly actor: { readonly kind: "person" | "key" | "gateway" | "anonymous"; readonly name?: string };
  readonly action: string;
  readonly verb: string;
  readonly kind: string;
  readonly name: string;
  /** Domains that the entry refers to. */
  readonly domains: readonly string[];
}

const actors = {
  person: (name: string) => name,
  key: (name: string) => `API key ${name}`,
  gateway: () => "The gateway",
  anonymous: () => "An anonymous client",
};

export const audit = {
  subtitle: "Who changed what, and when?",
  nouns,
  verbs,
  actors,
  sentence: ({ actor, action, verb, kind, name, domains }: EntryText) => {
    const did = whole[action]?.(name, domains);
    const plain = [verbs[verb] ?? verb.replaceAll("_", " "), nouns[kind] ?? kind.replaceAll("_", " "), name];
    return `${actors[actor.kind](actor.name ?? "")} ${did ?? plain.filter(Boolean).join(" ")}`.trim();
  },
  /** An action in a list of options: "created the device". */
  actionLabel: (action: string, verb: string, kind: string) =>
    whole[action]?.("", []).trim() ?? [verbs[verb] ?? verb, nouns[kind] ?? kind].join(" "),
  filters: "Filters",
  actor: "User",
  actorHint: "admin, or key:name",
  action: "Action",
  kind: "Resource",
  anything: "Any",
  since: "From",
  until: "To",
  clear: "Clear filters",
  nothing: "No entries yet. Every change is recorded here.",
  noMatch: "No entry matches.",
  older: "Show older",
  newer: (count: number) => (count === 1 ? "1 newer entry" : `${count} newer entries`),
  showNewer: "Show",
  total: (shown: string, all: string) => `${shown} of ${all}`,
  open: (name: string) => `Open ${name}`,
  look: "Open",
  along: (count: number) => (count === 1 ? "1 other change with it" : `${count} other changes with it`),
  noDetails: "No details were recorded.",
  before: "before",
  after: "after",
};
