/**
 * What each writable field, setting and bootstrap key does, by the test that observes it. A field that is stored and read by nothing is
 * worse than none: it is refused with `not_supported` until something reads it, and then it gets a line here.
 */
export interface Effect {
  /** A subsystem of the contract, or `bootstrap`. */
  readonly of: string;
  /** Separated by blanks. */
  readonly fields: string;
  readonly file: string;
  /** Part of the test's title, as it stands in the file. */
  readonly title: string;
}

const inDaemon = (file: string): string => `daemon/src/${file}.test.ts`;
const inSubsystem = (file: string): string => inDaemon(`subsystems/${file}`);
const inJourney = (file: string): string => `lab/journeys/${file}.lab.test.ts`;

const effect = (of: string, fields: string, file: string, title: string): Effect => ({ of, fields, file, title });

export const effects: readonly Effect[] = [
  effect("auth", "username password", inSubsystem("auth/sessions.api"), "makes the first admin, who is signed in"),
  effect(
    "auth",
    "code",
    inSubsystem("auth/setup.api"),
    "the code outlasts a restart and is gone after the first account",
  ),
  effect("auth", "key", inSubsystem("auth/key-sessions.api"), "a browser with a key of role %s is what the key is"),
  effect(
    "auth",
    "current_password new_password",
    inSubsystem("auth/sessions.api"),
    "with a wrong current password changes nothing",
  ),
  effect("auth", "name role", inSubsystem("auth/keys.api"), "a key of role %s says so, and acts under its name"),
  effect("auth", "expires_at", inSubsystem("auth/keys.api"), "a key ends when it says"),

  effect(
    "devices",
    "name hostname vendor notes",
    inSubsystem("devices/devices.api"),
    "each filter finds its devices and counts them",
  ),
  effect("devices", "mac ips", inJourney("dns-devices"), "an address has the rules of whoever answers for it now"),
  effect("devices", "state", inJourney("exceptions"), "a device that is marked as quarantined is cut off"),
  effect(
    "devices",
    "force_dns block_doh block_ipv6 block_webrtc",
    inJourney("controls"),
    "each control stops what it is about",
  ),
  effect(
    "devices",
    "trust_class privacy_class",
    inSubsystem("privacy/privacy.api"),
    "for a class holds for its devices, however they came by it",
  ),
  effect(
    "devices",
    "group_ids",
    inSubsystem("devices/groups.api"),
    "membership is the same seen from the group and from the device",
  ),
  effect(
    "deviceGroups",
    "name description",
    inSubsystem("devices/groups.api"),
    "a group is created, read, changed and deleted",
  ),
  effect("deviceGroups", "device_ids", inDaemon("compiler/conflicts"), "a group swallows a device of its own"),
  effect(
    "trustClasses",
    "name description level",
    inSubsystem("classes/classes.api"),
    "one is created, read, changed and deleted",
  ),
  effect(
    "trustClasses",
    "default_privacy_class",
    inSubsystem("privacy/privacy.api"),
    "for a class holds for its devices, however they came by it",
  ),
  effect(
    "privacyClasses",
    "name description",
    inSubsystem("classes/classes.api"),
    "one is created, read, changed and deleted",
  ),
  effect("privacyClasses", "dns_mode", inJourney("controls"), "a forced question is answered by the gateway"),
  effect(
    "privacyClasses",
    "force_dns block_doh block_ipv6 block_webrtc",
    inJourney("controls"),
    "the same of each control of a class",
  ),
  effect(
    "privacyClasses",
    "require_tunnel",
    inSubsystem("routing/routing.api"),
    "a class that demands a tunnel blocks its devices",
  ),
  effect("privacyClasses", "log_level", inJourney("dns-devices"), "nothing is written down of a private device"),

  effect("routing", "name", inSubsystem("privacy/privacy.api"), "a policy that decides is named"),
  effect(
    "routing",
    "source_type source_value priority enabled",
    inDaemon("compiler/evaluate"),
    "the tables decide as the first matching policy would",
  ),
  effect("routing", "hops profile_id", inSubsystem("routing/routing.api"), "has hops of its own or a profile's"),
  effect(
    "routing",
    "fail_policy",
    inJourney("fallbacks"),
    "who fails closed goes nowhere, who fails open goes by the uplink",
  ),
  effect("routing", "splitting", inJourney("splitting"), "connections are spread evenly over three tunnels"),
  effect(
    "profiles",
    "name description hops fail_policy splitting",
    inSubsystem("routing/routing.api"),
    "has hops of its own or a profile's",
  ),
  effect(
    "bridges",
    "name",
    inSubsystem("bridges/bridges.api"),
    "has careful defaults, and a PUT keeps what it does not name",
  ),
  effect(
    "bridges",
    "interface members addresses stp",
    "lab/engines/bridge.lab.test.ts",
    "bridges are made, carry frames between their members",
  ),
  effect(
    "bridges",
    "enabled target",
    inJourney("pool"),
    "a bridge of two ports is made, looked at, switched and taken away",
  ),
  effect("splitting", "policy_id apply", inSubsystem("splitting/splitting.api"), "applies at once when asked to"),
  effect(
    "splittingEndpoints",
    "tunnel_id name role enabled",
    inSubsystem("splitting/splitting.service"),
    "is found by role, state and tunnel",
  ),
  effect("splittingEndpoints", "weight", inJourney("pool"), "new connections are spread by weight"),
  effect(
    "splittingEndpoints",
    "target bytes_per_second",
    inJourney("pool"),
    "switched on it is counted, has its limit",
  ),
  effect("uplinks", "wan_failover_mode active", inJourney("uplinks"), "in manual mode the chosen uplink stays"),
  effect(
    "uplinks",
    "uplinks",
    inJourney("uplinks"),
    "both uplinks are looked after, and the preferred one carries everybody",
  ),
  effect(
    "exceptions",
    "type device_id allow_direct",
    inJourney("exceptions"),
    "temporary-direct: new flows and running ones leave by the uplink",
  ),
  effect("exceptions", "duration_min", inSubsystem("exceptions/expiry"), "an exception ends on the moment"),
  effect(
    "exceptions",
    "reason",
    inSubsystem("exceptions/exceptions.api"),
    "an exception is audited and told when it starts",
  ),
  effect(
    "exceptions",
    "destinations",
    inJourney("exceptions"),
    "service-allowlist: what it names leaves by the uplink",
  ),
  effect(
    "privacy",
    "mode device_id privacy_class enabled",
    inSubsystem("privacy/privacy.api"),
    "for a device beats its class and everybody",
  ),
  effect("privacy", "settle_sec", inJourney("leak-monitor"), "after a change nobody has to ask: the monitor finds it"),
  effect(
    "privacy",
    "address_echo_url resolver_echo_name",
    inJourney("leak-monitor"),
    "the resolver of a device's way is known outside",
  ),
  effect("captive", "open_for duration_min", inJourney("captive"), "opened for the phone, it reads the portal by name"),

  effect(
    "tunnels",
    "name type config interface mtu",
    inSubsystem("tunnels/tunnels.api"),
    "a WireGuard tunnel is made, read, listed, changed and deleted",
  ),
  effect("tunnels", "enabled", inSubsystem("tunnels/tunnels.api"), "up, down and toggle switch a tunnel"),
  effect("tunnels", "probe_target", inDaemon("patients"), "each tunnel is asked through itself"),
  effect("tunnels", "username password", "lab/engines/openvpn.lab.test.ts", "wrong passwords are told"),
  effect(
    "proxies",
    "name kind listen address tunnel_id",
    inJourney("listeners"),
    "what a device asks of a listener leaves by the listener's tunnel",
  ),
  effect(
    "proxies",
    "enabled",
    inDaemon("compiler/facts"),
    "who is switched off, was not asked yet or does not answer is not up",
  ),
  effect("proxies", "username password", inJourney("listeners"), "who does not know the password is refused"),

  effect("dns", "pattern", inSubsystem("dns/dns.api"), "the cache is listed and flushed by name"),
  effect(
    "dns",
    "domains",
    inSubsystem("dns/filters.api"),
    "domains are blocked and unblocked for everyone in one call",
  ),
  effect(
    "dnsFilterRules",
    "name action match pattern source_type source_value enabled note",
    inDaemon("compiler/book"),
    "rewrites, entries and rules become what the engine knows",
  ),
  effect(
    "dnsAllowlist",
    "domain source_type source_value note",
    inDaemon("compiler/book"),
    "rewrites, entries and rules become what the engine knows",
  ),
  effect(
    "dnsBlocklist",
    "domain source_type source_value note",
    inJourney("status"),
    "every blocked answer names the entry that blocked it",
  ),
  effect(
    "dnsRewrites",
    "domain answer source_type source_value match value enabled",
    inSubsystem("dns/filters.api"),
    "a name is rewritten to addresses, to another name, or to nothing",
  ),
  effect(
    "dnsZones",
    "name ttl_sec enabled",
    inDaemon("compiler/read-names"),
    "a zone has its own records, and one that is switched off is none",
  ),
  effect(
    "dnsZones",
    "fill_from_devices",
    inJourney("dns-ways"),
    "devices have names, and their addresses lead back to them",
  ),
  effect("dnsRecords", "zone_id name type value ttl_sec", inJourney("dns-ways"), "records of every kind are answered"),
  effect(
    "dnsForwarders",
    "name address enabled port priority",
    inDaemon("compiler/read-names"),
    "resolvers are in the order of their priorities",
  ),
  effect(
    "dnsForwarders",
    "protocol server_name path post_quantum",
    inJourney("dns-ways"),
    "names are asked there, and nowhere in the clear",
  ),
  effect("dnsForwarders", "domains", inJourney("dns-ways"), "a domain can have a resolver of its own"),
  effect("dnsRotation", "mode", inJourney("dns-ways"), "the rotation says who is asked"),
  effect(
    "dnsPresets",
    "name enabled category action format url path refresh_hours source_type source_value",
    inSubsystem("dns/lists.api"),
    "a list is fetched, read from a file, or handed in",
  ),
  effect("dnsCatalog", "name", inSubsystem("dns/lists.api"), "a well-known list is chosen by its name"),
  effect("dnsOptions", "filtering_enabled", inJourney("status"), "filtering that is switched off is seen in /health"),
  effect(
    "dnsOptions",
    "dnssec",
    inJourney("status"),
    "an upstream without signatures is, and the command that is named mends it",
  ),
  effect("dnsOptions", "tunnel_resolvers", inDaemon("compiler/names"), "a tunnel's own resolvers are asked by its way"),
  effect(
    "dnsOptions",
    "rate_limit_qps",
    "lab/engines/dnsdist-live.lab.test.ts",
    "upstreams, their rotation and limits change while questions are answered",
  ),
  effect(
    "dnsOptions",
    "rebinding_protection rebinding_allowed",
    "lab/engines/dnsdist.lab.test.ts",
    "a device is answered, refused and redirected as the book says",
  ),
  effect("dnsOptions", "log_rows_kept", inDaemon("ledger/dns-log"), "no more rows are kept than were asked for"),
  effect(
    "dnsExtfilter",
    "enabled url dns_address username password",
    inSubsystem("dns/extfilter.api"),
    "it is asked how it is, and told to filter and not to",
  ),

  effect(
    "snapshots",
    "pinned note",
    inSubsystem("history/snapshots.api"),
    "a snapshot can be pinned and told what it is",
  ),
  effect("snapshots", "snapshot", inSubsystem("history/snapshots.api"), "a rollback publishes the older state again"),
  effect("settings", "value", inSubsystem("settings/settings.api"), "takes no value that would ask for something"),
  effect(
    "secrets",
    "name value description",
    inSubsystem("secrets/secrets.api"),
    "a secret is created, read, changed and deleted",
  ),
  effect("secrets", "passphrase", inSubsystem("secrets/passphrase.api"), "leaves every row under the new passphrase"),

  effect(
    "bootstrap",
    "listen.api_addr listen.hosts",
    inJourney("front-door"),
    "a name rebound to the gateway's address cannot write, the gateway's own name can",
  ),
  effect("bootstrap", "log.level", inDaemon("log"), "only what is as severe as log.level says is written"),
  effect(
    "bootstrap",
    "network.wan_iface network.lan_iface network.default_egress dataplane.enabled",
    inJourney("enforcement"),
    "without a policy the device is seen on the uplink",
  ),
  effect(
    "bootstrap",
    "network.more_lan_ifaces",
    inJourney("evaluate"),
    "where each packet leaves, or that it does not",
  ),
  effect(
    "bootstrap",
    "network.uplink_ports",
    inJourney("answers"),
    "from the uplink the gateway is reached by the ports that were named",
  ),
  effect(
    "bootstrap",
    "dns.enabled dns.upstream_servers dns.upstream_mode dns.filtering_enabled",
    inDaemon("compiler/read-names"),
    "where nobody said anything, the bootstrap file and what is usual hold",
  ),
  effect(
    "bootstrap",
    "dns.listen_addr dns.ca_file dns.trust_anchors",
    inJourney("dns-ways"),
    "who shows another's certificate, or a stranger's, is told no name",
  ),
  effect("bootstrap", "dns.backend", inSubsystem("dns/extfilter.api"), "the bootstrap file says whether it is used"),
  effect(
    "bootstrap",
    "captive.check_url captive.check_answer",
    inJourney("captive"),
    "the portal is found by the uplink's own address",
  ),
  effect(
    "bootstrap",
    "auth.enabled auth.local_net",
    inJourney("front-door"),
    "the office reads without a credential, the guests do not",
  ),
  effect("bootstrap", "auth.api_keys", inSubsystem("auth/keys.api"), "are listed with name and role"),
  effect(
    "bootstrap",
    "tls.enabled tls.cert_file tls.key_file",
    inDaemon("http/tls.api"),
    "shows it, from beside the bootstrap file or from anywhere",
  ),
  effect(
    "bootstrap",
    "paths.lists",
    inDaemon("engines/lists/lists.engine"),
    "is not read from outside its folder, and nothing is told of what is there",
  ),
  effect(
    "firstEnforcement",
    "from_console",
    inDaemon("enforcement-handlers"),
    "a request from the gateway itself (%j) confirms only with a reason",
  ),
  effect(
    "bootstrap",
    "dataplane.confirm_first_sec",
    inJourney("first-enforcement"),
    "a daemon that is killed reverts nothing: another process does, at the deadline",
  ),
  effect(
    "bootstrap",
    "listen.unix_socket",
    inDaemon("local-socket.api"),
    "who owns the gateway is admin on its Unix socket, and audited by the name of the user",
  ),
  effect(
    "dnsPresets",
    "allow_private",
    inDaemon("engines/lists/lists.engine"),
    "that leads into the network is not fetched before an admin allows it",
  ),
  effect(
    "bootstrap",
    "paths.state paths.run",
    inJourney("packaging"),
    "what outlives the daemon also outlives its service",
  ),
  effect("bootstrap", "reconcile.interval_sec", inJourney("enforcement"), "somebody takes one device out of a map"),
  effect("bootstrap", "limits.logins_per_minute", inDaemon("http/limits.api"), "passwords are guessed slowly"),
  effect(
    "bootstrap",
    "limits.requests_per_minute",
    inDaemon("http/limits.api"),
    "a key that asks too often is told when to come back",
  ),
  effect(
    "bootstrap",
    "limits.body_bytes",
    inDaemon("http/wire.api"),
    "a body of the largest size is read, one byte more is not",
  ),
  effect("bootstrap", "limits.snapshots_kept", inSubsystem("history/snapshots.api"), "only so many snapshots are kept"),
  effect(
    "bootstrap",
    "limits.audit_entries_kept",
    inSubsystem("history/housekeeping"),
    "old revisions and audit entries go",
  ),
  effect("bootstrap", "limits.event_streams", inDaemon("http/live.api"), "and for one more as soon as one has left"),
  effect("bootstrap", "limits.request_timeout_sec", inDaemon("http/wire.api"), "headers without an end"),
];
