const nouns: Readonly<Record<string, string>> = {
  admin: "the administrator's account",
  api_key: "the key",
  block_doh: "the block of encrypted DNS",
  block_ipv6: "the block of IPv6",
  block_webrtc: "the block of STUN",
  bridge: "the bridge",
  captive_portal: "for a captive portal",
  chain: "the chain",
  change: "the change",
  device: "the device",
  device_group: "the group",
  dns_allow_entry: "the allowed name",
  dns_block_entry: "the blocked name",
  dns_cache: "the cache of names",
  dns_domains: "names",
  dns_extfilter: "the external filter",
  dns_filter_rule: "the filter rule",
  dns_forwarder: "the forwarder",
  dns_list: "the list of names",
  dns_log: "the DNS log",
  dns_mode: "who decides which resolver answers",
  dns_options: "the options for names",
  dns_record: "the record",
  dns_rewrite: "the rewrite",
  dns_rotation: "the rotation of forwarders",
  dns_zone: "the zone",
  enforcement: "the rules in the kernel",
  exception: "the exception",
  force_dns: "forced DNS",
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
  splitting: "splitting",
  splitting_endpoint: "the endpoint for splitting",
  trust_class: "the trust class",
  tunnel: "the tunnel",
  uplinks: "the uplinks",
};

const verbs: Readonly<Record<string, string>> = {
  activate: "switched on",
  apply: "applied",
  block: "blocked",
  change: "changed",
  check: "looked",
  choose: "chose",
  clear: "cleared",
  confirm: "kept",
  create: "made",
  end: "ended",
  delete: "deleted",
  disable: "switched off",
  down: "took down",
  enable: "switched on",
  flush: "emptied",
  import: "imported",
  reconcile: "compared",
  refresh: "fetched",
  revert: "took back",
  start: "started",
  rollback: "went back to",
  run: "ran",
  set: "set",
  setup: "set up",
  switch: "switched",
  test: "tested",
  toggle: "switched",
  unblock: "unblocked",
  up: "brought up",
  update: "changed",
  upload: "uploaded",
};

const some = ([first, ...rest]: readonly string[]): string =>
  first === undefined ? "names" : rest.length === 0 ? first : `${first} and ${rest.length} more`;

const of = (name: string): string => (name ? ` of ${name}` : "");

/** What reads better than verb and noun. */
const whole: Readonly<Record<string, (name: string, domains: readonly string[]) => string>> = {
  block_dns_domains: (_, domains) => `blocked ${some(domains)}`,
  unblock_dns_domains: (_, domains) => `unblocked ${some(domains)}`,
  create_session: () => "signed in",
  delete_session: (name) => (name ? `ended the session of ${name}` : "signed out"),
  login_failed: (name) => (name ? `failed to sign in as ${name}` : "failed to sign in"),
  setup_admin: (name) => `made the administrator's account ${name}`,
  apply_routing_policies: () => "applied the staged policies",
  change_password: () => "changed the password",
  set_passphrase: () => "sealed the secrets under a new passphrase",
  clear_passphrase: () => "took the passphrase off the secrets",
  reconcile_enforcement: () => "had the kernel compared with what should be",
  clear_dns_log: () => "cleared the DNS log",
  flush_dns_cache: () => "emptied the cache of names",
  switch_force_dns: (name) => `switched forced DNS${of(name)}`,
  switch_block_doh: (name) => `switched the block of encrypted DNS${of(name)}`,
  switch_block_ipv6: (name) => `switched the block of IPv6${of(name)}`,
  switch_block_webrtc: (name) => `switched the block of STUN${of(name)}`,
  run_leak_check: (name) => `looked for leaks${of(name)}`,
};

interface EntryText {
  readonly actor: { readonly kind: "person" | "key" | "gateway" | "anonymous"; readonly name?: string };
  readonly action: string;
  readonly verb: string;
  readonly kind: string;
  readonly name: string;
  /** Names on the internet that it speaks of. */
  readonly domains: readonly string[];
}

const actors = {
  person: (name: string) => name,
  key: (name: string) => `The key ${name}`,
  gateway: () => "The gateway",
  anonymous: () => "Somebody",
};

export const audit = {
  subtitle: "Who did what, and when?",
  nouns,
  verbs,
  actors,
  sentence: ({ actor, action, verb, kind, name, domains }: EntryText) => {
    const did = whole[action]?.(name, domains);
    const plain = [verbs[verb] ?? verb.replaceAll("_", " "), nouns[kind] ?? kind.replaceAll("_", " "), name];
    return `${actors[actor.kind](actor.name ?? "")} ${did ?? plain.filter(Boolean).join(" ")}`.trim();
  },
  /** An action for a list to choose from: "made the device". */
  actionLabel: (action: string, verb: string, kind: string) =>
    whole[action]?.("", []).trim() ?? [verbs[verb] ?? verb, nouns[kind] ?? kind].join(" "),
  filters: "Filters",
  actor: "Who",
  actorHint: "admin, or key:name",
  action: "What was done",
  kind: "To what",
  anything: "Anything",
  since: "From",
  until: "To",
  clear: "Show everything",
  nothing: "Nothing was done yet. What somebody changes stands here from then on.",
  nothingFits: "Nothing in the log fits.",
  older: "Show older",
  newer: (count: number) => (count === 1 ? "1 newer entry" : `${count} newer entries`),
  showNewer: "Show",
  total: (shown: string, all: string) => `${shown} of ${all}`,
  open: (name: string) => `Open ${name}`,
  look: "Open",
  along: (count: number) => (count === 1 ? "1 other thing changed with it" : `${count} other things changed with it`),
  noDetails: "No details were written down.",
  before: "before",
  after: "after",
};
