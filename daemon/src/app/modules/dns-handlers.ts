import type { GatewayApi } from "@portcullis/contract/api";
import type { HandlersOf } from "@portcullis/contract/handler";
import type { Ledger } from "../../ledger/ledger.ts";
import { crudOperations, type Operations } from "../../subsystems/configuration/operations.ts";
import {
  catalogRoutes,
  dnsRoutes,
  extfilterRoutes,
  optionRoutes,
  presetRoutes,
  rotationRoutes,
  serviceRoutes,
  threatFeedRoutes,
} from "../../subsystems/dns/dns.routes.ts";
import { crudRoutes, shownRoutes } from "../../subsystems/routes.ts";
import { withSourceName } from "../../subsystems/source-names.ts";
import type { DnsServices } from "./dns-services.ts";

/** The handlers of the DNS endpoints. */
export function dnsHandlers(ledger: Ledger, services: DnsServices) {
  const { dns, rules, allowlist, blocklist, rewrites, zones, records, forwarders } = services;
  const { serviceRules, rotation, lists, options, extfilter } = services;
  return {
    dns: dnsRoutes(dns, blocklist),
    dnsFilterRules: shownRoutes(rules, withSourceName(ledger)),
    dnsServices: serviceRoutes(serviceRules),
    dnsAllowlist: shownRoutes(allowlist, withSourceName(ledger)),
    dnsBlocklist: shownRoutes(blocklist, withSourceName(ledger)),
    dnsRewrites: shownRoutes(rewrites, withSourceName(ledger)),
    dnsZones: crudRoutes(zones),
    dnsRecords: crudRoutes(records),
    dnsForwarders: crudRoutes(forwarders),
    dnsRotation: rotationRoutes(rotation),
    dnsPresets: presetRoutes(lists),
    dnsCatalog: catalogRoutes(lists),
    dnsThreatFeeds: threatFeedRoutes(lists),
    dnsOptions: optionRoutes(options),
    dnsExtfilter: extfilterRoutes(extfilter),
  } satisfies Partial<{ [S in keyof GatewayApi]: HandlersOf<GatewayApi[S]> }>;
}

/** The operations of the DNS sections of a configuration document. */
export function dnsOperations(services: DnsServices) {
  const { rules, allowlist, blocklist, rewrites, zones, records, forwarders, rotation, lists, options } = services;
  return {
    dns_filter_rule: crudOperations(rules),
    dns_allow_entry: crudOperations(allowlist),
    dns_block_entry: crudOperations(blocklist),
    dns_rewrite: crudOperations(rewrites),
    dns_zone: crudOperations(zones),
    dns_record: crudOperations(records),
    dns_forwarder: crudOperations(forwarders),
    dns_list: crudOperations(lists),
    dns_rotation: { put: rotation.put },
    dns_options: { put: options.put },
    dns_extfilter: { put: services.extfilter.write },
  } satisfies Operations;
}
