import type { ReasonTemplates } from "./template.ts";

/** Why a component of the gateway has its status, why an upgrade cannot start, and why no setup can be applied. */
export const observerReasons = {
  troubles: { text: "{troubles}", params: { troubles: "reasons" } },
  engine_failed: { text: "{engine}: {message}", params: { engine: "text", message: "text" } },
  interface_because: { text: "{interface}: {why}", params: { interface: "text", why: "reason" } },
  and_others: { text: "and others" },

  ledger_revision: { text: "revision {revision}", params: { revision: "number" } },
  secrets_encrypted: { text: "secrets are encrypted" },
  secrets_plain: {
    text: "secrets are stored in plain text: the passphrase was cleared. POST /secrets/set-passphrase encrypts them",
  },
  secrets_locked: {
    text: "the operator's passphrase is lost: enter the same one again with POST /secrets/set-passphrase",
  },
  secret_lost: {
    text: "one secret cannot be decrypted: the passphrase is not the one it was encrypted with. Restore the file secrets.passphrase of the state folder from a backup and restart the daemon, or enter the secret again; `portcullis secrets` lists them",
  },
  secrets_lost: {
    text: "{secrets} secrets cannot be decrypted: the passphrase is not the one they were encrypted with. Restore the file secrets.passphrase of the state folder from a backup and restart the daemon, or enter the secrets again; `portcullis secrets` lists them",
    params: { secrets: "number" },
  },
  access_off: { text: "authentication is off: every request has the role admin" },
  access_owned: { text: "an admin account or key exists" },
  access_unclaimed: { text: "there is no admin account yet; the setup code creates it" },
  dataplane_disabled: { text: "nothing is enforced: dataplane.enabled is false" },
  enforcement_provisional: {
    text: "the first enforcement on this machine is reverted at {deadline} unless it is confirmed",
    params: { deadline: "time" },
  },
  enforcement_no_boot_guard: {
    text: "no guard is loaded at boot before the daemon starts. `systemctl enable portcullis-guard.service` on the gateway enables it",
  },
  enforcement_interfaces_exist: { text: "the configured interfaces exist" },
  dataplane_failed: {
    text: "{failures}. `portcullis enforce reconcile` tries again at once",
    params: { failures: "reasons" },
  },
  dataplane_in_force: { text: "revision {revision} is in force", params: { revision: "number" } },
  dataplane_behind: {
    text: "revision {published} is published, revision {applied} is in force. `portcullis reconcile` shows the progress",
    params: { published: "number", applied: "number" },
  },
  egress_unknown: {
    text: "it is not known which devices have Internet access: {why}",
    params: { why: "reason" },
  },
  egress_no_device: {
    text: "no device has Internet access: no device is known, and unknown devices are blocked. `portcullis devices create`, then a policy (POST /routing/policies)",
  },
  egress_all_blocked: {
    text: "no device has Internet access: all {devices} known devices are blocked, and so are unknown ones. `portcullis fail-matrix` shows which hops are down, `portcullis evaluate <device>` why",
    params: { devices: "number" },
  },
  egress_all_direct: {
    text: "no device is protected: all traffic leaves directly. Import a tunnel and send devices through it with a policy (POST /routing/policies)",
  },
  egress_none_protected: {
    text: "no device is protected: {blocked} of {devices} known devices are blocked, and traffic of the others leaves directly. `portcullis fail-matrix` shows which hops are down",
    params: { blocked: "number", devices: "number" },
  },
  egress_protected: {
    text: "{protected} of {devices} known devices are protected",
    params: { protected: "number", devices: "number" },
  },
  egress_partly_blocked: {
    text: "{protected} of {devices} known devices are protected, {blocked} blocked",
    params: { protected: "number", devices: "number", blocked: "number" },
  },
  tunnels_up: { text: "{up} of {tunnels} tunnels are up", params: { up: "number", tunnels: "number" } },
  tunnels_down: {
    text: "{up} of {tunnels} tunnels are up. Down: {down}. `portcullis tunnels` lists them, `portcullis tunnels down <id>` switches one off",
    params: { up: "number", tunnels: "number", down: "reasons" },
  },
  tunnel_because: { text: "{tunnel} ({why})", params: { tunnel: "text", why: "reason" } },
  dns_none_wanted: { text: "no resolver is to run" },
  dns_resolvers_run: { text: "{resolvers} resolvers run", params: { resolvers: "number" } },
  filter_works: { text: "queries are filtered" },
  filter_behind: {
    text: "the last change of rules or lists is not in force yet; the daemon's log says why if it stays so",
  },
  filter_switched_off: {
    text: `filtering is switched off: \`portcullis dns configure '{"filtering_enabled": true}'\` switches it on again`,
  },
  filter_off: { text: "filtering is off: dns.filtering_enabled is false" },
  pauses_none: { text: "nothing is paused" },
  pauses_some: { text: "pauses of devices and groups: {pauses}", params: { pauses: "number" } },
  pauses_everyone: {
    text: "paused for everyone: {types}, until {until} at most: `portcullis pause active` lists the pauses, `portcullis pause end <id>` ends one",
    params: { types: "texts", until: "time" },
  },
  dhcp_no_range: { text: "no range of addresses is configured" },
  dhcp_leases: { text: "addresses are leased on {interfaces}", params: { interfaces: "texts" } },
  dhcp_idle: { text: "no addresses are leased by {interfaces}", params: { interfaces: "reasons" } },
  advertisement_none: { text: "the gateway is not advertised as IPv6 router" },
  advertisement_works: {
    text: "the gateway is advertised as IPv6 router on {interfaces}",
    params: { interfaces: "texts" },
  },
  advertisement_idle: {
    text: "the gateway is not advertised as IPv6 router on {interfaces}",
    params: { interfaces: "reasons" },
  },

  programs_installed: { text: "all programs are installed" },
  programs_missing: {
    text: "required programs are not installed: {programs}. `apt install iproute2 nftables iputils-ping procps`",
    params: { programs: "texts" },
  },
  features_missing: {
    text: "not available, because programs are missing: {features}",
    params: { features: "reasons" },
  },
  feature_leak_probes: { text: "probes of the leak check ({programs})", params: { programs: "texts" } },
  feature_leak_connections: { text: "connections in the leak check ({programs})", params: { programs: "texts" } },
  feature_wireguard: { text: "tunnels with WireGuard ({programs})", params: { programs: "texts" } },
  feature_wireguard_go: {
    text: "tunnels with WireGuard where the kernel has none ({programs})",
    params: { programs: "texts" },
  },
  feature_openvpn: { text: "tunnels with OpenVPN ({programs})", params: { programs: "texts" } },
  feature_socks_hops: { text: "SOCKS5 hops ({programs})", params: { programs: "texts" } },
  feature_socks_listeners: { text: "SOCKS5 listeners ({programs})", params: { programs: "texts" } },
  feature_dns: { text: "DNS ({programs})", params: { programs: "texts" } },
  feature_dns_zones: { text: "local DNS zones ({programs})", params: { programs: "texts" } },
  feature_dhcp: { text: "DHCP server ({programs})", params: { programs: "texts" } },
  feature_captures: { text: "packet captures ({programs})", params: { programs: "texts" } },
  feature_advertisements: { text: "IPv6 router advertisements ({programs})", params: { programs: "texts" } },
  feature_dnssec_clock: {
    text: "DNSSEC where the clock may be wrong ({programs})",
    params: { programs: "texts" },
  },
  feature_captive: { text: "captive portal detection ({programs})", params: { programs: "texts" } },
  feature_certificate: { text: "the gateway's own certificate ({programs})", params: { programs: "texts" } },

  upgrade_change_pending: { text: "a change is waiting for confirmation" },
  upgrade_disk_full: {
    text: "less than {mebibytes} MiB are free on the disk of the state folder",
    params: { mebibytes: "number" },
  },
  setup_no_file: { text: "this daemon runs without a configuration file; start it with --config" },
  setup_in_force: {
    text: "the gateway is in force on this machine, and its devices rely on it. Change the interfaces in {file}, and restart the daemon",
    params: { file: "text" },
  },
  setup_unconfirmed: {
    text: "the last setup waits for its confirmation. Confirm it (`portcullis confirm`), or undo it (`portcullis setup --cancel`)",
  },
} as const satisfies ReasonTemplates;
