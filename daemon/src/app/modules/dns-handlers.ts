import type { GatewayApi } from "@portcullis/contract/api";
import type { HandlersOf } from "@portcullis/contract/handler";
import type { DnsService } from "@portcullis/contract/subsystems/dns-services";
import type { DnsListOffer } from "@portcullis/contract/subsystems/dns-lists";
import type { Bootstrap } from "../../config/keys.ts";
import { checkZone } from "../../engines/nsd/zone.check.model.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { crudOperations, type Operations } from "../../subsystems/configuration/operations.ts";
import type { SendHttp } from "../../subsystems/dns/adguard.ts";
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
import { dnsService } from "../../subsystems/dns/dns.service.ts";
import { extfilterService } from "../../subsystems/dns/extfilter.service.ts";
import {
  type Affordable,
  domainListService,
  filterRuleService,
  rewriteService,
} from "../../subsystems/dns/filters.service.ts";
import { listService, type Upload } from "../../subsystems/dns/lists.service.ts";
import { serviceRuleService } from "../../subsystems/dns/service-rules.service.ts";
import { servicePatterns } from "../../subsystems/dns/service-patterns.ts";
import { optionService } from "../../subsystems/dns/options.service.ts";
import type { DnsStatusSource } from "../../subsystems/dns/dns.status.ts";
import { forwarderService, rotationService } from "../../subsystems/dns/upstreams.service.ts";
import { type RecordProblem, zoneServices } from "../../subsystems/dns/zones.service.ts";
import { crudRoutes, shownRoutes } from "../../subsystems/routes.ts";
import type { SecretKeeping } from "../../subsystems/sealed.ts";
import { withSourceName } from "../../subsystems/source-names.ts";

interface Needs {
  readonly ledger: Ledger;
  readonly secrets: SecretKeeping;
  readonly bootstrap: Bootstrap["dns"];
  readonly statusSource: DnsStatusSource;
  readonly upload: Upload;
  /** Well-known lists to choose from. */
  readonly catalog: readonly DnsListOffer[];
  readonly sendHttp: SendHttp;
  readonly affordable: Affordable;
  readonly services: readonly DnsService[];
}

/** The handlers of the DNS endpoints, and the operations of the DNS sections of a configuration document. */
export function dnsHandlers({
  ledger,
  secrets,
  bootstrap,
  statusSource,
  upload,
  catalog,
  sendHttp,
  affordable,
  services,
}: Needs) {
  const options = optionService({ ledger, filteringEnabled: bootstrap.filtering_enabled });
  const rotation = rotationService({ ledger });
  const blocklist = domainListService({ ledger, list: "block" });
  const { zones, records } = zoneServices({ ledger, recordProblem });
  const lists = listService({
    ledger,
    states: statusSource.lists,
    listsOff: statusSource.listsOff,
    refreshList: statusSource.refreshList,
    upload,
    catalog,
  });
  const extfilter = extfilterService({
    ledger,
    secrets,
    sendHttp,
    isBackend: bootstrap.backend === "extfilter",
    condition: statusSource.external,
  });
  const dns = dnsService({
    ledger,
    statusSource,
    listenAddr: bootstrap.listen_addr,
    upstreamMode: bootstrap.upstream_mode,
    options: options.get,
    rotation: rotation.get,
    isExternal: extfilter.isEnabled,
  });
  const rules = filterRuleService({ ledger, affordable, patterns: servicePatterns(services) });
  const allowlist = domainListService({ ledger, list: "allow" });
  const rewrites = rewriteService({ ledger });
  const forwarders = forwarderService({ ledger });
  const operations = {
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
    dns_extfilter: { put: extfilter.write },
  } satisfies Operations;
  const handlers = {
    dns: dnsRoutes(dns, blocklist),
    dnsFilterRules: shownRoutes(rules, withSourceName(ledger)),
    dnsServices: serviceRoutes(serviceRuleService({ ledger, services, rules })),
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
  return { handlers, operations };
}

/** The first problem of a record in its zone. */
const recordProblem: RecordProblem = (record, siblings, zone) => {
  const records = [...siblings, record];
  const findings = checkZone({ ...zone, records });
  const own = findings.find((it) => it.record === records.length - 1 || it.record === null);
  return own ? { field: "value", reason: own.reason } : null;
};
