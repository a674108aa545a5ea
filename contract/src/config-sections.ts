import type { TSchema } from "typebox";
import { closed, optionals } from "./collection.ts";
import { declarable } from "./declarable.ts";
import type { Endpoint } from "./endpoint.ts";
import type { RequiredRole } from "./role.ts";
import { alertChannels } from "./subsystems/alert-channels.ts";
import { AlertRuleWord, alerts } from "./subsystems/alerts.ts";
import { anomalies } from "./subsystems/anomalies.ts";
import { bridges } from "./subsystems/bridges.ts";
import { DnsMode, privacyClasses, privacyControls, trustClasses } from "./subsystems/classes.ts";
import { deviceGroups, devices } from "./subsystems/devices.ts";
import { dhcp } from "./subsystems/dhcp.ts";
import { dnsAllowlist, dnsBlocklist, dnsFilterRules, dnsRewrites } from "./subsystems/dns-filters.ts";
import { dnsPresets } from "./subsystems/dns-lists.ts";
import { dnsExtfilter, dnsOptions } from "./subsystems/dns-settings.ts";
import { dnsForwarders, dnsRotation } from "./subsystems/dns-upstreams.ts";
import { dnsRecords, dnsZones } from "./subsystems/dns-zones.ts";
import { mqtt } from "./subsystems/mqtt.ts";
import { privacy } from "./subsystems/privacy.ts";
import { proxies } from "./subsystems/proxies.ts";
import { routerAdvertisements } from "./subsystems/router-advertisements.ts";
import { profiles, routing } from "./subsystems/routing.ts";
import { schedules } from "./subsystems/schedules.ts";
import { secrets } from "./subsystems/secrets.ts";
import { segments } from "./subsystems/segments.ts";
import { settings, writableSettings } from "./subsystems/settings.ts";
import { splittingEndpoints } from "./subsystems/splitting.ts";
import { tunnels } from "./subsystems/tunnels.ts";
import { uplinks } from "./subsystems/uplinks.ts";
import { vlans } from "./subsystems/vlans.ts";
import { InterfaceName, OneOf } from "./values.ts";

/** One kind of resource in a configuration document. */
export interface Section {
  readonly kind: string;
  /** Its field in the document. */
  readonly name: string;
  /** list: resources by their key; single: one object. */
  readonly form: "list" | "single";
  /** The fields that identify a resource. */
  readonly key: readonly string[];
  /** The schema of one resource. */
  readonly item: TSchema;
  /** Required to change it. Of several endpoints the strictest one counts. */
  readonly role: RequiredRole;
  /** Whether resources are created and deleted; the others always exist, and are changed only. */
  readonly isCreated: boolean;
}

/** In the order in which resources are created: those that others refer to come first. */
export const sections: readonly Section[] = [
  list("secret", "secrets", secrets),
  list("schedule", "schedules", schedules),
  list("privacy_class", "privacy_classes", privacyClasses),
  list("tunnel", "tunnels", tunnels),
  list("vlan", "vlans", vlans),
  list("bridge", "bridges", bridges),
  fixed("segment", "segments", "interface", closed({ interface: InterfaceName, ...segments.update.body.properties }), [
    segments.update,
  ]),
  list("proxy", "proxies", proxies),
  list("splitting_endpoint", "splitting_endpoints", splittingEndpoints, { key: ["tunnel_id", "role", "target"] }),
  list("profile", "profiles", profiles),
  list("trust_class", "trust_classes", trustClasses),
  list("device_group", "device_groups", deviceGroups, { without: ["device_ids"] }),
  list("device", "devices", devices),
  list("routing_policy", "routing_policies", routing),
  list("dns_zone", "dns_zones", dnsZones),
  list("dns_record", "dns_records", dnsRecords, { key: ["zone_id", "name", "type", "value"] }),
  list("dns_forwarder", "dns_forwarders", dnsForwarders),
  list("dns_list", "dns_lists", dnsPresets),
  list("dns_filter_rule", "dns_filter_rules", dnsFilterRules),
  list("dns_allow_entry", "dns_allow_entries", dnsAllowlist, { key: ["domain", "source_type", "source_value"] }),
  list("dns_block_entry", "dns_block_entries", dnsBlocklist, { key: ["domain", "source_type", "source_value"] }),
  list("dns_rewrite", "dns_rewrites", dnsRewrites, {
    key: ["domain", "match", "source_type", "source_value", "answer", "value"],
  }),
  list("alert_channel", "alert_channels", alertChannels, { without: ["subscription"] }),
  fixed("alert_rule", "alert_rules", "id", closed({ id: AlertRuleWord, ...alerts.updateRule.body.properties }), [
    alerts.updateRule,
  ]),
  fixed(
    "setting",
    "settings",
    "id",
    closed({ id: OneOf(writableSettings), value: settings.put.body.properties.value }),
    [settings.put],
  ),
  single("uplinks", [uplinks.put]),
  single("dhcp", [dhcp.put]),
  single("router_advertisements", [routerAdvertisements.put]),
  single(
    "privacy",
    [privacy.putDnsMode, privacy.forceDns, privacy.blockDoh, privacy.blockIpv6, privacy.blockWebrtc],
    closed(optionals({ dns_mode: DnsMode, ...privacyControls })),
  ),
  single("leak_monitor", [privacy.putLeakMonitor]),
  single("dns_options", [dnsOptions.put]),
  single("dns_rotation", [dnsRotation.put]),
  single("dns_extfilter", [dnsExtfilter.put, dnsExtfilter.enable, dnsExtfilter.disable]),
  single("mqtt", [mqtt.put]),
  single("anomaly_detection", [anomalies.updateSettings]),
];

/** Kinds that no document contains, and why. */
export const undocumented: Readonly<Record<string, string>> = {
  chain: "Traffic chains have no effect yet, and cannot be created",
};

interface Collection {
  readonly create: Endpoint & { readonly body: TSchema };
  readonly update: Endpoint;
  readonly remove: Endpoint;
}

function list(
  kind: string,
  name: string,
  { create, update, remove }: Collection,
  { key = ["name"], without = [] }: { readonly key?: readonly string[]; readonly without?: readonly string[] } = {},
): Section {
  const role = strictest([create, update, remove]);
  return { kind, name, form: "list", key, item: declarable(create.body, without), role, isCreated: true };
}

function fixed(kind: string, name: string, key: string, item: TSchema, by: readonly Endpoint[]): Section {
  return { kind, name, form: "list", key: [key], item: declarable(item), role: strictest(by), isCreated: false };
}

function single(kind: string, by: readonly Endpoint[], item: TSchema = by[0]!.body!): Section {
  const role = strictest(by);
  return { kind, name: kind, form: "single", key: [], item: declarable(item), role, isCreated: false };
}

function strictest(endpoints: readonly Endpoint[]): RequiredRole {
  return endpoints.some(({ role }) => role === "admin") ? "admin" : "operator";
}
