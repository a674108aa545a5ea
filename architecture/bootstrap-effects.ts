import { type Effect, effect, inDaemon, inJourney, inSubsystem } from "./effect.ts";

/** Keys of the bootstrap file. */
export const bootstrapEffects: readonly Effect[] = [
  effect(
    "bootstrap",
    "listen.api_addr listen.hosts",
    inJourney("api-access"),
    "a name rebound to the gateway's address cannot write, the gateway's own name can",
  ),
  effect("bootstrap", "log.level", inDaemon("app/log"), "only what is as severe as log.level says is written"),
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
    "every packet leaves, or is blocked, as POST /policy/evaluate answered",
  ),
  effect(
    "bootstrap",
    "network.uplink_ports",
    inJourney("reverse-path"),
    "from the uplink the gateway is reached by the ports that were named",
  ),
  effect(
    "bootstrap",
    "dns.enabled dns.upstream_servers dns.upstream_mode dns.filtering_enabled",
    inDaemon("compiler/input/read-dns"),
    "read DNS: without settings, the bootstrap file and the defaults apply",
  ),
  effect(
    "bootstrap",
    "dns.listen_addr dns.ca_file dns.trust_anchors",
    inJourney("dns-per-egress"),
    "an upstream with the certificate of another server, or of an untrusted issuer, gets no query",
  ),
  effect("bootstrap", "dns.backend", inSubsystem("dns/extfilter.api"), "the bootstrap file decides whether it is used"),
  effect(
    "bootstrap",
    "captive.check_url captive.check_answer",
    inJourney("captive"),
    "the portal is found by the uplink's own address",
  ),
  effect(
    "bootstrap",
    "auth.enabled auth.local_net",
    inJourney("api-access"),
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
    "is not read from outside its folder, and nothing outside is revealed",
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
    inDaemon("http/local-socket.api"),
    "who owns the gateway is admin on its Unix socket, and audited by the name of the user",
  ),
  effect(
    "bootstrap",
    "paths.state paths.run",
    inJourney("packaging"),
    "what outlives the daemon also outlives its service",
  ),
  effect(
    "bootstrap",
    "reconcile.interval_sec",
    inJourney("enforcement"),
    "another program removes a device from a map",
  ),
  effect("bootstrap", "limits.logins_per_minute", inDaemon("http/limits.api"), "passwords are guessed slowly"),
  effect(
    "bootstrap",
    "limits.requests_per_minute",
    inDaemon("http/limits.api"),
    "rate limit: a key over its limit gets Retry-After",
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
