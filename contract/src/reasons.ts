/**
 * Every reason that the API reports: its text in English, and the kinds of its parameters. A text is a clause that also fits
 * into another sentence: it begins in lower case and has no full stop. The web interface has the texts of the other languages.
 */
export const reasons = {
  reported: { text: "{message}", params: { message: "text" } },

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
  username_signs: { text: "the username may have neither colons nor signs that cannot be printed" },
  username_unprintable: { text: "the username has a sign that cannot be printed" },
  password_size: { text: "the password must have 1 to 255 bytes" },
  password_unprintable: { text: "the password has a sign that cannot be printed" },
  proxy_ipv4_only: { text: "redsocks supports servers with IPv4 only" },
  interface_without_address: { text: "{interface} has no address to leave with", params: { interface: "text" } },
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

  // Proxies.
  proxy_unused: { text: "no policy uses it" },
  proxy_open: {
    text: "every device could leave in the clear by it: give it a tunnel, or a username and a password",
  },
  proxy_program_starting: { text: "its program is starting" },
  proxy_listens: { text: "it listens" },
  proxy_unprobed: { text: "its server was not probed yet" },
} as const satisfies Readonly<Record<string, Template>>;

/** The kinds of parameters. The types of their values are in `reason.ts`. */
export type ReasonParam = "text" | "texts" | "number" | "ms" | "time" | "reason" | "reasons";

interface Template {
  readonly text: string;
  readonly params?: Readonly<Record<string, ReasonParam>>;
}

export type ReasonCode = keyof typeof reasons;

export const englishReasons = Object.fromEntries(
  Object.entries(reasons).map(([code, { text }]) => [code, text]),
) as Readonly<Record<ReasonCode, string>>;
