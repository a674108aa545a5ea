import type { ReasonTemplates } from "./template.ts";

/** Findings of the leak check, and the evidence for them: what was checked, what was expected, and what was found. */
export const leakCheckReasons = {
  leak_probe_left: {
    text: "an IPv{family} probe in its name left by {interfaces}",
    params: { family: "number", interfaces: "texts" },
  },
  leak_direct: {
    text: "it leaves by {interfaces} in the clear: {why}",
    params: { interfaces: "texts", why: "reason" },
  },
  leak_exception: {
    text: "an exception ({type}) allows {destinations} in the clear",
    params: { type: "text", destinations: "texts" },
  },
  leak_without_probes: {
    text: "the probes could not be sent: this result rests on the configuration of the kernel alone",
  },
  leak_route: {
    text: "the kernel would send its IPv{family} by {routes}",
    params: { family: "number", routes: "texts" },
  },
  leak_route_guarded: {
    text: "the kernel would send its IPv{family} by {routes}; the guard still blocks it",
    params: { family: "number", routes: "texts" },
  },
  leak_ipv6_beside: {
    text: "{interfaces} has IPv4 only, and its IPv6 has a route past it",
    params: { interfaces: "texts" },
  },
  leak_rule_before: {
    text: "a routing rule of another program precedes ours: {rule}",
    params: { rule: "text" },
  },
  leak_entry_added: {
    text: "another program added an IPv{family} {kind} to our tables: {entry}",
    params: { family: "number", kind: "reason", entry: "text" },
  },
  leak_entry_missing: {
    text: "an IPv{family} {kind} of ours is missing: {entry}",
    params: { family: "number", kind: "reason", entry: "text" },
  },
  leak_entry_replaced: {
    text: "another program replaced an IPv{family} {kind} of ours: {entry}",
    params: { family: "number", kind: "reason", entry: "text" },
  },
  kernel_rule: { text: "rule" },
  kernel_route: { text: "route" },
  leak_guard_missing: { text: "the guard is missing: its table does not exist" },
  leak_guard_changed: { text: "the guard differs from what was loaded: another program changed it" },
  leak_guard_opened: { text: "another program opened the guard for {element}", params: { element: "text" } },
  leak_guard_lacks: { text: "the guard lacks {element}", params: { element: "text" } },
  leak_guard_element: { text: "another program changed {element} in the guard", params: { element: "text" } },
  leak_guard_lacks_sender: {
    text: "the guard lacks {sender} in {set}",
    params: { sender: "text", set: "text" },
  },
  leak_guard_other_sender: {
    text: "the guard has {sender} in {set}, which is not published",
    params: { sender: "text", set: "text" },
  },
  leak_steering_changed: { text: "the steering rules differ from what was loaded" },
  leak_steering_element: {
    text: "another program changed steering: {element} of {resource}",
    params: { element: "text", resource: "text" },
  },
  leak_translation: {
    text: "a rule of another program in {table}, chain {chain}, may change this device's packets ({action})",
    params: { table: "text", chain: "text", action: "reason" },
  },
  translation_iptables: { text: "a rule of iptables" },
  translation_packet_mark: { text: "set the mark of packets" },
  translation_connection_mark: { text: "set the mark of connections" },
  translation_address: { text: "rewrite an address" },
  leak_router: {
    text: "another IPv6 router is on {interface}: devices may leave through it, past the gateway",
    params: { interface: "text" },
  },
  leak_kernel_setting: {
    text: "the kernel setting {key} has another value than expected",
    params: { key: "text" },
  },
  leak_dns_redirected: { text: "its DNS queries are redirected to another resolver than that of its egress" },
  leak_connection: {
    text: "a {protocol} connection to {destination} uses the uplink, in the clear",
    params: { protocol: "text", destination: "text" },
  },
  leak_foreign_resolver: {
    text: "it sends DNS queries to {destination}, past the gateway's resolver",
    params: { destination: "text" },
  },
  leak_echo_address: {
    text: "traffic through {interface} arrives with the uplink's own address",
    params: { interface: "text" },
  },
  leak_echo_resolver: { text: "the resolver of its egress queries from the uplink's own address" },
  leak_repaired: {
    text: "another program changed {resource} during the check; the change has been repaired",
    params: { resource: "text" },
  },

  check_probe: {
    text: "probe: ICMP echo with hop limit 2 from {mac} {source} to {destination}, injected into the LAN interface, observed after the last table and dropped there",
    params: { mac: "reason", source: "text", destination: "text" },
  },
  any_mac: { text: "any MAC" },
  check_own_probe: { text: "probe in its name" },
  check_ipv6_probe: { text: "probe with IPv6" },
  check_probes: { text: "probes injected into the LAN interface" },
  check_policies: { text: "published policies, IPv{family}", params: { family: "number" } },
  check_exceptions: { text: "exceptions in force" },
  check_reconciled: {
    text: "reconcile cycle at {at}: {resource} {field}",
    params: { at: "time", resource: "text", field: "text" },
  },
  check_echo_page: {
    text: "GET {url} from {address}, which is that of {interface}",
    params: { url: "text", address: "text", interface: "text" },
  },
  check_echo_resolver: {
    text: "{name} A, AAAA and TXT, from the resolver of its egress (127.0.0.1 port {port})",
    params: { name: "text", port: "text" },
  },

  seen_no_uplink: { text: "no uplink" },
  seen_left: { text: "it left by {interfaces}", params: { interfaces: "texts" } },
  seen_blocked: { text: "it was blocked" },
  seen_is_blocked: { text: "it is blocked" },
  seen_no_interface: { text: "no interface" },
  seen_tunnel_or_blocked: { text: "a tunnel, or blocked" },
  seen_no_policy: { text: "no policy" },
  seen_policy: { text: "policy {id}", params: { id: "text" } },
  seen_pause: { text: "pause {id}", params: { id: "text" } },
  seen_exception: { text: "exception {id}", params: { id: "text" } },
  seen_none: { text: "none" },
  seen_nothing: { text: "nothing" },
  seen_nothing_else: { text: "nothing else" },
  seen_each_arrives: { text: "each of them arrives" },
  seen_not_sent: { text: "not sent: {why}", params: { why: "reason" } },
  seen_no_address: { text: "it has no address" },
  seen_not_read: { text: "not read: {message}", params: { message: "text" } },
  seen_no_flow: { text: "no flow of it uses an uplink's address" },
  seen_no_uplink_flow: { text: "no flow by an uplink's address" },
  seen_flows: { text: "{flows} flows of all devices were checked", params: { flows: "number" } },
  seen_no_route: { text: "no route" },
  seen_device_or_none: { text: "dev {interfaces}, or no route", params: { interfaces: "texts" } },
  seen_no_rule_before: {
    text: "no rule but the kernel's own before {priority}",
    params: { priority: "text" },
  },
  seen_rules: { text: "{rules} rules", params: { rules: "number" } },
  seen_rules_dropping: {
    text: "{rules} rules, and a forward chain with policy drop",
    params: { rules: "number" },
  },
  seen_rules_accepting: { text: "{rules} rules, and no such chain", params: { rules: "number" } },
  seen_no_foreign_rule: { text: "no such rule in tables of other programs" },
  seen_no_router: { text: "no router" },
  seen_port: { text: "port {port}", params: { port: "text" } },
  seen_no_queries: { text: "no queries to other resolvers" },
  seen_none_of: { text: "none of {addresses}", params: { addresses: "texts" } },
  seen_none_of_changed: {
    text: "none of {addresses}; before it was {before}",
    params: { addresses: "texts", before: "texts" },
  },
  seen_not_uplink: { text: "not the uplink's address" },
  seen_not_from_uplink: { text: "not queried from the uplink's address" },
  seen_no_echo: { text: "no address" },
  seen_unanswered: { text: "not answered: {message}", params: { message: "text" } },
} as const satisfies ReasonTemplates;
