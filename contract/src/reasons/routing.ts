import type { ReasonTemplates } from "./template.ts";

/** Findings about policies, the paths of a split, foreign changes of the kernel, and the steps of portal detection. */
export const routingReasons = {
  policy_contradicts: { text: "both match the same traffic at the same priority and treat it differently" },
  policy_duplicate: { text: "an earlier policy sends the same traffic through the same hops" },
  policy_shadowed: { text: "an earlier, wider policy matches first, so this one is never evaluated" },
  schedule_active: {
    text: "{why}; its schedule {schedule} is active until {until}",
    params: { why: "reason", schedule: "text", until: "time" },
  },
  schedule_waits: {
    text: "its schedule {schedule} is not active before {until}",
    params: { schedule: "text", until: "time" },
  },
  schedule_inactive: { text: "its schedule is not active" },
  schedule_unknown: { text: "its schedule does not exist, so it blocks what it matches" },
  policy_without_device: { text: "it names a device that is gone" },
  policy_without_group: { text: "it names a device group that is gone" },
  policy_without_vpn: { text: "it names the vpn {target}, which does not exist", params: { target: "text" } },
  policy_without_interface: {
    text: "it names the interface {target}, which does not exist",
    params: { target: "text" },
  },
  policy_without_proxy: { text: "it names the proxy {target}, which does not exist", params: { target: "text" } },
  policy_without_mesh_peer: {
    text: "it names the mesh peer {target}, which does not exist",
    params: { target: "text" },
  },
  policy_half: {
    text: "it covers IPv{covered} only: IPv{open} from {interface} leaves in the clear",
    params: { covered: "number", open: "number", interface: "text" },
  },
  policy_exposes: {
    text: "device {device} leaves in the clear by it, although the privacy class requires a tunnel",
    params: { device: "text" },
  },
  policy_exposes_several: {
    text: "device {device} and {more} more leave in the clear by it, although the privacy class requires a tunnel",
    params: { device: "text", more: "number" },
  },
  policy_may_expose: {
    text: "device {device} leaves in the clear while its hops are down, although the privacy class requires a tunnel",
    params: { device: "text" },
  },
  policy_may_expose_several: {
    text: "device {device} and {more} more leave in the clear while its hops are down, although the privacy class requires a tunnel",
    params: { device: "text", more: "number" },
  },

  split_no_resolver: { text: "no resolver on this path" },
  split_own_resolver: { text: "the tunnel's configuration names it" },
  split_system_resolver: { text: "the tunnel's configuration names none" },
  split_unset_resolver: { text: "the tunnel's configuration names none, and neither does dns.upstream_servers" },
  split_staged: { text: "the policy is staged; it takes effect with the next apply" },
  split_in_force: { text: "the policy is in force" },
  split_published: { text: "the policy is published, but not completely in force yet" },

  drift_objects: { text: "{objects}", params: { objects: "reasons" } },
  drift_rule: { text: "{count} × rule", params: { count: "number" } },
  drift_chain: { text: "{count} × chain", params: { count: "number" } },
  drift_set: { text: "{count} × set", params: { count: "number" } },
  drift_map: { text: "{count} × map", params: { count: "number" } },
  drift_element: { text: "{count} × element", params: { count: "number" } },
  drift_object: { text: "{count} × {kind}", params: { count: "number", kind: "text" } },
  drift_table: { text: "table" },
  drift_running: { text: "running" },
  drift_served: { text: "served" },
  drift_in_use: { text: "in use" },
  drift_there: { text: "there" },
  drift_as_wanted: { text: "as wanted" },
  drift_other: { text: "other" },

  portal_unresolved: {
    text: "{resolver} has no address for {host}",
    params: { resolver: "text", host: "text" },
  },
  portal_resolved: {
    text: "{resolver} resolves {host} to {addresses}",
    params: { resolver: "text", host: "text", addresses: "texts" },
  },
  portal_no_resolver: { text: "there is no resolver for {host}", params: { host: "text" } },
  portal_private: {
    text: "{host} is a public name with a private address: a portal answered for it",
    params: { host: "text" },
  },
  portal_unknown_address: { text: "its address is unknown" },
  portal_out_of_time: { text: "the time limit of the check was reached" },
  portal_no_http: { text: "it is not an HTTP response" },
  portal_silent: { text: "{url}: no answer: {why}", params: { url: "text", why: "reason" } },
  portal_expected: {
    text: "{url}: status {status}, the expected content",
    params: { url: "text", status: "text" },
  },
  portal_redirects: {
    text: "{url}: status {status}, redirects to {to}",
    params: { url: "text", status: "text", to: "text" },
  },
  portal_other_content: {
    text: "{url}: status {status}, other content than expected",
    params: { url: "text", status: "text" },
  },
  portal_refused: {
    text: "{host} resolves to {address}, which cannot be a portal: it is not opened",
    params: { host: "text", address: "text" },
  },
  portal_not_in_force: { text: "the exception is not in force yet: see /health" },
} as const satisfies ReasonTemplates;
