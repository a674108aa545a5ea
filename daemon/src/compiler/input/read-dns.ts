import type { DnsEntry, DnsFilterRule, DnsRewrite } from "@portcullis/contract/subsystems/dns-filters";
import type { PublishedDnsList } from "@portcullis/contract/subsystems/dns-lists";
import {
  type PublishedDnsOptions,
  type PublishedExternalFilter,
  defaultDnsOptions,
} from "@portcullis/contract/subsystems/dns-settings";
import type { DnsSource } from "@portcullis/contract/subsystems/dns-source";
import { type DnsForwarder, type DnsRotation, defaultRotation } from "@portcullis/contract/subsystems/dns-upstreams";
import type { DnsRecord, DnsZone } from "@portcullis/contract/subsystems/dns-zones";
import { pqModes } from "@portcullis/contract/subsystems/pq-crypto";
import type { Schedule } from "@portcullis/contract/subsystems/schedules";
import type { Zone } from "../../engines/nsd/nsd.model.ts";
import type { IntentForwarder, IntentDns, DnsBootstrap } from "./intent.ts";

/** The clients that a DNS rule applies to. */
export type Sourced = DnsSource;

/** The DNS resources of a document. Documents of tests may omit them. */
export interface DnsResources {
  readonly dns_filter_rule?: readonly DnsFilterRule[];
  readonly dns_allow_entry?: readonly DnsEntry[];
  readonly dns_block_entry?: readonly DnsEntry[];
  readonly dns_rewrite?: readonly DnsRewrite[];
  readonly dns_zone?: readonly DnsZone[];
  readonly dns_record?: readonly DnsRecord[];
  readonly dns_forwarder?: readonly DnsForwarder[];
  readonly dns_list?: readonly PublishedDnsList[];
  readonly schedule?: readonly Schedule[];
  readonly setting?: readonly { readonly id: string; readonly value: string }[];
  /** At most one resource each. */
  readonly dns_rotation?: readonly DnsRotation[];
  readonly dns_options?: readonly Partial<PublishedDnsOptions>[];
  readonly dns_extfilter?: readonly PublishedExternalFilter[];
}

/** The settings of the resolver, without filter rules; null where none runs. */
export function dnsIn(resources: DnsResources, base: DnsBootstrap | undefined): IntentDns | null {
  if (!base) return null;
  const options = { ...defaultDnsOptions, filtering_enabled: base.isFiltering, ...resources.dns_options?.[0] };
  const forwarders = forwardersOf(resources, base);
  return {
    listener: base.listener,
    caFile: base.caFile,
    anchors: base.anchors,
    isFiltering: options.filtering_enabled,
    ratePerSec: options.rate_limit_qps,
    isRebindingProtected: options.rebinding_protection,
    rebindable: options.rebinding_allowed,
    isValidating: options.dnssec,
    // Not `=== "use"`: a ledger of an earlier version has "prefer".
    prefersTunnelResolvers: options.tunnel_resolvers !== "ignore",
    rotation: resources.dns_rotation?.[0]?.mode ?? defaultRotation,
    forwarders,
    zones: zonesOf(resources),
    external: externalOf(resources),
  };
}

/** Configured forwarders; without one for all domains, also the upstreams of the bootstrap file. */
function forwardersOf({ dns_forwarder: made = [], setting = [] }: DnsResources, base: DnsBootstrap): IntentForwarder[] {
  const stored = setting.find(({ id }) => id === "pq_crypto_mode")?.value;
  const mode = pqModes.find((it) => it === stored) ?? "default";
  // The DNS proxy has the TLS of the gateway, which the mode governs; dnsdist has that of the system.
  const secured = (protocol: IntentForwarder["protocol"], isWanted: boolean) => {
    const pqMode = mode === "default" && isWanted ? "preferred" : mode;
    return protocol === "plain"
      ? { isForwarded: false, pqMode: "default" as const }
      : { isForwarded: pqMode !== "default", pqMode };
  };
  const enabled = made.filter((it) => it.enabled).toSorted((a, b) => a.priority - b.priority || (a.id < b.id ? -1 : 1));
  const own = enabled.map((it) => ({
    id: it.id,
    address: it.address,
    port: it.port ?? defaultPort[it.protocol],
    protocol: it.protocol,
    serverName: it.server_name,
    path: it.path,
    domains: it.domains,
    ...secured(it.protocol, it.post_quantum),
  }));
  return own.some(({ domains }) => domains.length === 0)
    ? own
    : [
        ...own,
        ...base.upstreams.map((address) => ({
          id: `bootstrap ${address}`,
          address,
          port: defaultPort[base.mode],
          protocol: base.mode,
          serverName: null,
          path: "/dns-query",
          domains: [],
          ...secured(base.mode, false),
        })),
      ];
}

const zonesOf = ({ dns_zone: zones = [], dns_record: records = [] }: DnsResources): IntentDns["zones"] =>
  zones
    .filter(({ enabled }) => enabled)
    .map(({ id, name, ttl_sec, serial, fill_from_devices }) => ({
      isFilled: fill_from_devices,
      zone: {
        name,
        serial,
        ttlSec: ttl_sec,
        records: records
          .filter(({ zone_id }) => zone_id === id)
          .map((it) => ({ name: it.name, type: it.type, value: it.value, ttlSec: it.ttl_sec })),
      } satisfies Zone,
    }));

function externalOf({ dns_extfilter: [external] = [] }: DnsResources): IntentDns["external"] {
  if (!external?.enabled || external.dns_address === null) return null;
  const colon = external.dns_address.lastIndexOf(":");
  return {
    address: external.dns_address.slice(0, colon).replace(/^\[(.*)\]$/, "$1"),
    port: Number(external.dns_address.slice(colon + 1)),
  };
}

const defaultPort = { plain: 53, dot: 853, doh: 443 } as const;
