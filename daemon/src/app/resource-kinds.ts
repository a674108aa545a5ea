import { Bridge } from "@portcullis/contract/subsystems/bridges";
import { Chain } from "@portcullis/contract/subsystems/chains";
import { PrivacyClass, TrustClass } from "@portcullis/contract/subsystems/classes";
import { Device, DeviceGroup } from "@portcullis/contract/subsystems/devices";
import { DnsEntry, DnsFilterRule, DnsRewrite } from "@portcullis/contract/subsystems/dns-filters";
import { DnsList } from "@portcullis/contract/subsystems/dns-lists";
import { DnsForwarder } from "@portcullis/contract/subsystems/dns-upstreams";
import { DnsRecord, DnsZone } from "@portcullis/contract/subsystems/dns-zones";
import { Proxy } from "@portcullis/contract/subsystems/proxies";
import { Policy, Profile } from "@portcullis/contract/subsystems/routing";
import { Secret } from "@portcullis/contract/subsystems/secrets";
import { SplittingEndpoint } from "@portcullis/contract/subsystems/splitting";
import { Tunnel } from "@portcullis/contract/subsystems/tunnels";
import { VLAN } from "@portcullis/contract/subsystems/vlans";
import type { Publishing } from "../ledger/change.ts";

/** The kinds of resources, and when a change of one is published. */
export const kinds: Readonly<Record<string, Publishing>> = {
  device: "at-once",
  device_group: "at-once",
  trust_class: "at-once",
  privacy_class: "at-once",
  privacy: "at-once",
  leak_monitor: "at-once",
  alert_rule: "at-once",
  alert_channel: "at-once",
  mqtt: "at-once",
  anomaly_detection: "at-once",
  setting: "at-once",
  secret: "at-once",
  tunnel: "at-once",
  bridge: "at-once",
  splitting_endpoint: "at-once",
  uplinks: "at-once",
  segment: "at-once",
  vlan: "at-once",
  dhcp: "at-once",
  router_advertisements: "at-once",
  proxy: "at-once",
  schedule: "at-once",
  dns_filter_rule: "at-once",
  dns_allow_entry: "at-once",
  dns_block_entry: "at-once",
  dns_rewrite: "at-once",
  dns_zone: "at-once",
  dns_record: "at-once",
  dns_forwarder: "at-once",
  dns_rotation: "at-once",
  dns_list: "at-once",
  dns_options: "at-once",
  dns_extfilter: "at-once",
  routing_policy: "on-apply",
  profile: "on-apply",
  chain: "on-apply",
};

/** The schemas of kinds whose fields refer to other resources. */
export const referring = {
  routing_policy: Policy,
  profile: Profile,
  chain: Chain,
  device: Device,
  device_group: DeviceGroup,
  trust_class: TrustClass,
  privacy_class: PrivacyClass,
  secret: Secret,
  bridge: Bridge,
  vlan: VLAN,
  splitting_endpoint: SplittingEndpoint,
  tunnel: Tunnel,
  proxy: Proxy,
  dns_filter_rule: DnsFilterRule,
  dns_allow_entry: DnsEntry,
  dns_block_entry: DnsEntry,
  dns_rewrite: DnsRewrite,
  dns_zone: DnsZone,
  dns_record: DnsRecord,
  dns_forwarder: DnsForwarder,
  dns_list: DnsList,
};
