import { anomalyReasons } from "./reasons/anomalies.ts";
import { leakCheckReasons } from "./reasons/leak-check.ts";
import { observerReasons } from "./reasons/observer.ts";
import { resolvingReasons } from "./reasons/resolving.ts";
import { routingReasons } from "./reasons/routing.ts";
import { upkeepReasons } from "./reasons/upkeep.ts";
import type { ReasonTemplates } from "./reasons/template.ts";
import { tunnelFileReasons } from "./reasons/tunnel-files.ts";
import { watchingReasons } from "./reasons/watching.ts";

/**
 * Every reason that the API reports: its text in English, and the kinds of its parameters. A text is a clause that also fits
 * into another sentence: it begins in lower case and has no full stop. The web interface has the texts of the other languages.
 */
export const reasons = {
  reported: { text: "{message}", params: { message: "text" } },
  literal: { text: "{text}", params: { text: "text" } },

  // The state of a tunnel, a proxy or an uplink.
  link_disabled: { text: "it is switched off" },
  link_starting: { text: "it is starting" },
  link_not_wanted: { text: "not enabled" },
  link_awaits_interface: { text: "waiting for its interface" },
  link_awaits_reply: { text: "waiting for the first reply" },
  link_unprobed: { text: "not probed: its interface is up" },
  link_answers: { text: "responding" },
  link_answers_again: { text: "responding again after {after_ms}", params: { after_ms: "ms" } },
  link_lossy: {
    text: "packet loss: {lost} of the last {probes} probes got no reply",
    params: { lost: "number", probes: "number" },
  },
  link_loss_over: { text: "packet loss is low again" },
  link_interface_gone: { text: "its interface is gone" },
  link_silent: {
    text: "stopped responding: no reply for {silence_ms}, then none to a burst of probes",
    params: { silence_ms: "ms" },
  },
  link_never_answered: { text: "no probe was answered within {limit_ms}", params: { limit_ms: "ms" } },
  link_interface_missing: { text: "its interface did not appear within {limit_ms}", params: { limit_ms: "ms" } },
  link_not_probed: { text: "it is not probed" },
  status_down: { text: "down" },
  status_connecting: { text: "connecting" },
  status_up: { text: "up" },
  status_degraded: { text: "degraded" },
  status_failed: { text: "failed" },
  dataplane_off: { text: "the dataplane is off" },

  // What a program of the gateway reports, or how it ended.
  program_missing: { text: "{program} is not installed", params: { program: "text" } },
  program_killed: { text: "it was killed ({signal})", params: { signal: "text" } },
  program_ended: { text: "it ended" },
  program_ended_unwatched: { text: "it ended unwatched" },
  program_silent: { text: "it does not answer" },
  program_never_up: { text: "it does not come up" },
  interface_foreign: {
    text: "there is an interface called {interface} already, which Portcullis did not create",
    params: { interface: "text" },
  },
  username_size: { text: "the username must have 1 to 255 bytes" },
  username_unprintable: { text: "the username has a sign that cannot be printed" },
  password_size: { text: "the password must have 1 to 255 bytes" },
  password_unprintable: { text: "the password has a sign that cannot be printed" },
  proxy_ipv4_only: { text: "redsocks supports servers with IPv4 only" },
  interface_without_address: { text: "{interface} has no address to leave with", params: { interface: "text" } },
  dhcp_not_enforced: { text: "nothing is enforced on this machine yet" },
  dhcp_starting: { text: "the server is starting" },
  no_lan_interface: { text: "{interface} is no LAN interface of the gateway", params: { interface: "text" } },
  interface_absent: { text: "{interface} does not exist", params: { interface: "text" } },
  dhcp_no_network: {
    text: "{interface} has no address in a network that contains {first} and {last}",
    params: { interface: "text", first: "text", last: "text" },
  },
  interface_down: { text: "{interface} is down", params: { interface: "text" } },
  interface_without_ipv6: { text: "IPv6 is disabled on {interface}", params: { interface: "text" } },
  advertisement_starting: { text: "its program is starting" },
  advertisement_name: {
    text: "the configuration of radvd cannot contain the name {interface}",
    params: { interface: "text" },
  },
  advertisement_no_prefix: {
    text: "{interface} has no address in an IPv6 network with a prefix of 64 bits",
    params: { interface: "text" },
  },
  advertisement_unknown_device: {
    text: "the device {address} has no MAC, so with its new IPv6 addresses it would be an unknown device",
    params: { address: "text" },
  },
  advertisement_policy: {
    text: "the policy for {source} does not apply to IPv6, and no policy is for {prefixes}",
    params: { source: "text", prefixes: "texts" },
  },
  dhcp_unconfined: { text: "the rules that keep it off the uplinks cannot be loaded" },
  dns_domain_invalid: { text: "{domain} is not a domain", params: { domain: "text" } },
  dns_no_trust_anchor: { text: "there is no trust anchor to validate with" },
  dns_trust_anchor_invalid: { text: "{anchor} is not a trust anchor", params: { anchor: "text" } },
  openvpn_refused: { text: "the server refuses name and password" },
  openvpn_refused_for_now: { text: "the server refuses name and password; it is tried again later" },
  openvpn_requests: {
    text: "the server requests credentials that are not configured: {request}",
    params: { request: "text" },
  },
  openvpn_no_address: { text: "the server assigned no address" },
  openvpn_unreadable_address: {
    text: "the server assigned an unreadable address: {address}",
    params: { address: "text" },
  },
  openvpn_public_address: {
    text: "the server assigned {address}. Only private addresses are accepted ({networks})",
    params: { address: "text", networks: "texts" },
  },
  openvpn_taken_address: {
    text: "the server assigned {address}, which belongs to {owner} ({network})",
    params: { address: "text", owner: "reason", network: "text" },
  },
  owner_network: { text: "the network of {interface}", params: { interface: "text" } },
  owner_gateway: { text: "the gateway of {interface}", params: { interface: "text" } },
  owner_interface: { text: "the interface {interface}", params: { interface: "text" } },
  owner_tunnel: { text: "the tunnel on {interface}", params: { interface: "text" } },
  owner_resolver: { text: "a resolver" },
  owner_server: { text: "the server of a tunnel or proxy" },
  owner_other_tunnel: { text: "another tunnel" },
  owner_own_server: { text: "the server itself" },

  // The choice of the uplink.
  uplink_none: { text: "there is no uplink" },
  uplink_undecided: { text: "no decision: uplinks are not probed" },
  uplink_unchanged: { text: "unchanged since before the restart" },
  uplink_active: { text: "{uplink} is active: {why}", params: { uplink: "text", why: "reason" } },
  uplink_chosen: { text: "the operator chose it" },
  uplink_first: { text: "it is the first in the list" },
  uplink_none_active: { text: "there was no active uplink" },
  uplink_just_switched: { text: "the last switch was a moment ago" },
  uplink_manual_as_automatic: {
    text: "{uplink} is active because the mode is manual. Automatic mode would leave it so: {why}",
    params: { uplink: "text", why: "reason" },
  },
  uplink_manual_instead: {
    text: "{uplink} is active because the mode is manual. Automatic mode would switch to {other}: {why}",
    params: { uplink: "text", other: "text", why: "reason" },
  },
  uplink_unprobed: { text: "{uplink} is not probed", params: { uplink: "text" } },
  uplink_unusable: {
    text: "{uplink} is {status} ({why})",
    params: { uplink: "text", status: "reason", why: "reason" },
  },
  uplink_up: { text: "{uplink} is up", params: { uplink: "text" } },
  uplink_lossy: { text: "{uplink} loses packets but is usable", params: { uplink: "text" } },
  uplink_alone: { text: "{problem} and no other uplink is up, so it stays", params: { problem: "reason" } },
  uplink_held: {
    text: "{problem}; {other} takes over should that last {hold_ms}",
    params: { problem: "reason", other: "text", hold_ms: "ms" },
  },
  uplink_replaced: { text: "{problem}, and {other} is up", params: { problem: "reason", other: "text" } },
  uplink_returned: {
    text: "{uplink} is preferred and has been up for {after_ms} without interruption",
    params: { uplink: "text", after_ms: "ms" },
  },
  uplink_best: { text: "{state} and no uplink is preferred to it", params: { state: "reason" } },
  uplink_other_pinned: {
    text: "{state}; {other} would be preferred but failed too often and has to wait",
    params: { state: "reason", other: "text" },
  },
  uplink_other_returns: {
    text: "{state}; {other} is preferred and takes over once it was up for {after_ms}",
    params: { state: "reason", other: "text", after_ms: "ms" },
  },
  uplink_other_unusable: {
    text: "{state}; {other} would be preferred but is {status}",
    params: { state: "reason", other: "text", status: "reason" },
  },

  // What a policy, an exception or a privacy control does with packets.
  link_unknown: { text: "not known yet" },
  policy_without_hops: { text: "it has no hops" },
  hops_all_up: { text: "every hop is up" },
  hops_nothing_to_split: { text: "one hop: nothing to split" },
  hops_partly_up: { text: "{up} of {all} hops are up", params: { up: "number", all: "number" } },
  hops_all_down: { text: "none of its hops is up" },
  hop_unknown: { text: "hop {position} ({target}) is unknown", params: { position: "number", target: "text" } },
  hop_down: { text: "hop {position} ({target}) is down", params: { position: "number", target: "text" } },
  hop_down_because: {
    text: "hop {position} ({target}) is down: {why}",
    params: { position: "number", target: "text", why: "reason" },
  },
  hop_misplaced: {
    text: "hop {position} ({target}) {why}",
    params: { position: "number", target: "text", why: "reason" },
  },
  place_foreign: {
    text: "is an interface of another program, which cannot be put inside {outer}",
    params: { outer: "text" },
  },
  place_in_proxy: {
    text: "cannot be put inside {outer}: a proxy forwards connections only",
    params: { outer: "text" },
  },
  place_elsewhere: { text: "runs behind {outer}, where another policy needs it", params: { outer: "text" } },
  place_on_uplink: { text: "runs by the uplink, where another policy needs it" },
  fails_closed: { text: "{why}, and it fails closed", params: { why: "reason" } },
  fails_open: { text: "{why}, and it fails open", params: { why: "reason" } },
  fails_over: { text: "{why}, and it fails over to the next policy", params: { why: "reason" } },
  policy_decides: { text: "the policy {policy} decides: {why}", params: { policy: "text", why: "reason" } },
  failed_over: { text: "every policy that matched failed over, and none was left" },
  tunnel_required: { text: "no policy matched, and the device's privacy class requires a tunnel" },
  default_egress: { text: "no policy matched, and network.default_egress is {egress}", params: { egress: "text" } },
  outside_lan: {
    text: "{interface} is no LAN of the gateway: nothing from there is forwarded",
    params: { interface: "text" },
  },
  lan_destination: { text: "the destination is on a LAN of the gateway" },
  segment_destination: { text: "the destination is in the segment {segment}", params: { segment: "text" } },
  segment_maybe: {
    text: "the destination is in the segment {segment}, if the sender's reaches it",
    params: { segment: "text" },
  },
  segment_unreached: {
    text: "the segment {from} does not reach the segment {to}",
    params: { from: "text", to: "text" },
  },
  quarantined: { text: "the device is quarantined" },
  quarantined_until: { text: "the device is quarantined until {until}", params: { until: "time" } },
  exception_direct: { text: "an exception ({type}) lets it out", params: { type: "text" } },
  exception_direct_until: {
    text: "an exception ({type}) lets it out until {until}",
    params: { type: "text", until: "time" },
  },
  protection_paused: { text: "protection is paused until {until}", params: { until: "time" } },
  dns_forced: { text: "DNS is forced (force_dns): the gateway's resolver answers in place of any other" },
  dns_forced_without_resolver: { text: "DNS is forced (force_dns), and the gateway runs no resolver" },
  doh_blocked: { text: "encrypted DNS to other resolvers is blocked (block_doh)" },
  ipv6_blocked: { text: "IPv6 is blocked (block_ipv6)" },
  webrtc_blocked: { text: "STUN is blocked (block_webrtc)" },
  mismatch_all: { text: "the interface of the packet is unknown" },
  mismatch_interface: { text: "the packet is not of interface {value}", params: { value: "text" } },
  mismatch_vlan: { text: "the packet is not of VLAN {value}", params: { value: "text" } },
  mismatch_subnet: { text: "the packet is not of subnet {value}", params: { value: "text" } },
  mismatch_destination: { text: "the packet is not of destination {value}", params: { value: "text" } },
  mismatch_domain: { text: "the packet is not of domain {value}", params: { value: "text" } },
  mismatch_device: { text: "the packet is not of device {value}", params: { value: "text" } },
  mismatch_device_group: { text: "the packet is not of device group {value}", params: { value: "text" } },

  // Why nothing is enforced on the machine.
  not_enforced: { text: "nothing is enforced: {why}", params: { why: "reason" } },
  enforcement_reverting: {
    text: "nothing is enforced: the first enforcement on this machine is being reverted",
  },
  enforcement_reverted: {
    text: "nothing is enforced: the first enforcement on this machine was reverted ({why}). Start it again with `portcullis enforcement start`, and confirm it in time",
    params: { why: "reason" },
  },
  revert_unconfirmed: { text: "it was not confirmed in time" },
  revert_unconfirmed_without_daemon: { text: "it was not confirmed in time, and the daemon was dead" },
  revert_after_end: { text: "the daemon ended before it was confirmed" },
  revert_setup_cancelled: { text: "the setup was cancelled by {actor}", params: { actor: "text" } },
  revert_requested: { text: "requested by {actor}", params: { actor: "text" } },
  guard_only: {
    text: "the guard stays in force, and what needs the missing interface is blocked: {why}",
    params: { why: "reason" },
  },
  interfaces_missing: {
    text: "{missing}. Interfaces of this machine: {present}",
    params: { missing: "reasons", present: "texts" },
  },
  interfaces_none: { text: "{missing}. This machine has no interfaces", params: { missing: "reasons" } },
  interface_missing: {
    text: "{key} is {interface}, and there is no such interface",
    params: { key: "text", interface: "text" },
  },

  // The resolvers.
  dns_disabled: { text: "dns.enabled is false" },
  dns_not_started: { text: "not started yet" },
  dns_all_run: { text: "every resolver runs" },
  dns_part: { text: "{part}: {why}", params: { part: "text", why: "reason" } },
  dns_console_silent: { text: "it does not answer on its console" },
  dns_validator_starting: { text: "its validator is starting" },
  dns_local_zones: { text: "it answers local zones" },
  dns_answers: { text: "it answers" },
  dns_no_upstream: {
    text: "no upstream resolver is configured (`portcullis forwarders create`, or dns.upstream_servers), or the uplink has no address",
  },
  dns_no_upstream_by_egress: {
    text: "the egress is down, or no upstream resolver can be reached by it (`portcullis tunnels`, `portcullis forwarders`)",
  },
  dns_egress_down: { text: "no upstream resolver answers: the egress is down (`portcullis tunnels`)" },
  dns_tunnel_resolver_silent: {
    text: `the tunnel's own resolver {addresses} does not answer: \`portcullis dns configure '{"tunnel_resolvers": "ignore"}'\` sends queries through the tunnel to the configured upstreams instead`,
    params: { addresses: "texts" },
  },
  dns_upstreams_silent: {
    text: "no upstream resolver answers ({addresses}): `portcullis forwarders` lists and changes them",
    params: { addresses: "texts" },
  },
  dnssec_stripped: {
    text: `DNSSEC fails for every query, because the upstream resolvers return no signatures: use other upstreams (\`portcullis forwarders create\`), or \`portcullis dns configure '{"dnssec": false}'\``,
  },
  dnssec_some: {
    text: `DNSSEC fails for part of the queries, because some upstream resolvers return no signatures: use others (\`portcullis forwarders\`), or \`portcullis dns configure '{"dnssec": false}'\``,
  },
  dnssec_unverified: {
    text: `DNSSEC fails for every query, because the signatures of the upstream resolvers do not match the trust anchor: check dns.trust_anchors, or \`portcullis dns configure '{"dnssec": false}'\``,
  },
  dns_clock_suspect: { text: "the dates of signatures are not those of the gateway's clock" },
  extfilter_silent: { text: "it does not answer queries" },
  extfilter_unconfigured: { text: "it is not configured" },
  extfilter_api: { text: "its API: {why}", params: { why: "reason" } },

  // Bridges.
  bridge_works: { text: "it is up and all of its ports forward" },
  bridge_absent: { text: "the kernel does not have it" },
  bridge_troubles: { text: "{troubles}", params: { troubles: "reasons" } },
  bridge_foreign: { text: "there is an interface called {interface} that is no bridge", params: { interface: "text" } },
  bridge_down: { text: "it is down" },
  bridge_without_port: { text: "it has no port" },
  bridge_without_link: { text: "no port has a link" },
  bridge_ports_blocked: { text: "not forwarding: {ports}", params: { ports: "texts" } },
  bridge_exists: { text: "the interface exists" },
  bridge_missing: { text: "the interface does not exist" },
  bridge_up: { text: "it is up" },
  bridge_linked: { text: "a port has a link" },
  port_state: { text: "it is {state}", params: { state: "text" } },
  port_missing: { text: "it is no port of the bridge" },
  target_answers: { text: "it answers" },
  target_silent: { text: "it does not answer" },
  member_missing: { text: "member {member} does not exist", params: { member: "text" } },
  member_taken: { text: "member {member} belongs to {bridge}", params: { member: "text", bridge: "text" } },
  member_addressed: {
    text: "member {member} has addresses of its own, which do not work in a bridge: {addresses}",
    params: { member: "text", addresses: "texts" },
  },
  member_refused: { text: "member {member} is an uplink or a tunnel, and is kept out", params: { member: "text" } },

  // VLANs.
  vlan_works: { text: "it is up" },
  vlan_absent: { text: "the kernel does not have it" },
  vlan_down: { text: "it is down" },
  vlan_without_link: { text: "its parent has no link" },
  vlan_not_supported: { text: "the kernel of this machine has no support for VLANs (the module 8021q)" },
  vlan_parent_missing: { text: "its parent {parent} does not exist", params: { parent: "text" } },
  vlan_foreign: {
    text: "there is an interface called {interface} that is not VLAN {id} of {parent}",
    params: { interface: "text", id: "number", parent: "text" },
  },
  vlan_taken: {
    text: "VLAN {id} of {parent} is the interface {interface} already",
    params: { id: "number", parent: "text", interface: "text" },
  },
  vlan_is_uplink: {
    text: "{interface} is an uplink: its packets are not treated as those of a LAN",
    params: { interface: "text" },
  },

  // Proxies.
  proxy_unused: { text: "no policy uses it" },
  proxy_open: {
    text: "every device could leave in the clear by it: give it a tunnel, or a username and a password",
  },
  proxy_program_starting: { text: "its program is starting" },
  proxy_listens: { text: "it listens" },
  proxy_unprobed: { text: "its server was not probed yet" },

  ...observerReasons,
  ...resolvingReasons,
  ...routingReasons,
  ...leakCheckReasons,
  ...tunnelFileReasons,
  ...watchingReasons,
  ...upkeepReasons,
  ...anomalyReasons,
} as const satisfies ReasonTemplates;

export type { ReasonParam } from "./reasons/template.ts";

export type ReasonCode = keyof typeof reasons;

export const englishReasons = Object.fromEntries(
  Object.entries(reasons).map(([code, { text }]) => [code, text]),
) as Readonly<Record<ReasonCode, string>>;
