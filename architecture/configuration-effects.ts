import { type Effect, effect, inSubsystem } from "./effect.ts";

const api = inSubsystem("configuration/configuration.api");

const sections =
  "alert_channels alert_rules anomaly_detection bridges device_groups devices dhcp dns_allow_entries " +
  "dns_block_entries dns_extfilter dns_filter_rules dns_forwarders dns_lists dns_options dns_records " +
  "dns_rewrites dns_rotation dns_zones leak_monitor mqtt privacy privacy_classes profiles proxies " +
  "router_advertisements routing_policies schedules secrets segments settings splitting_endpoints trust_classes " +
  "tunnels uplinks vlans";

/** Fields of a configuration document. */
export const configurationEffects: readonly Effect[] = [
  effect(
    "configuration",
    sections,
    inSubsystem("configuration/round-trip.api"),
    "an export of any configuration, with its secrets filled in, gives an empty gateway the same export",
  ),
  effect(
    "configuration",
    "owner",
    api,
    "prune deletes what an earlier document of the owner contained, and nothing else",
  ),
  effect(
    "configuration",
    "$schema version omitted",
    api,
    "the published JSON Schema accepts an export, and refuses a misspelt field",
  ),
];
