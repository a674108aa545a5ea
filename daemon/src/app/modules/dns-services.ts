import { checkZone } from "../../engines/nsd/zone.check.model.ts";
import type { DnsListOffer } from "@portcullis/contract/subsystems/dns-lists";
import type { DnsService } from "@portcullis/contract/subsystems/dns-services";
import type { Bootstrap } from "../../config/keys.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { SendHttp } from "../../subsystems/dns/adguard.ts";
import { dnsService } from "../../subsystems/dns/dns.service.ts";
import type { DnsStatusSource } from "../../subsystems/dns/dns.status.ts";
import { extfilterService } from "../../subsystems/dns/extfilter.service.ts";
import {
  type Affordable,
  domainListService,
  filterRuleService,
  rewriteService,
} from "../../subsystems/dns/filters.service.ts";
import { listService, type Upload } from "../../subsystems/dns/lists.service.ts";
import { optionService } from "../../subsystems/dns/options.service.ts";
import { servicePatterns } from "../../subsystems/dns/service-patterns.ts";
import { serviceRuleService } from "../../subsystems/dns/service-rules.service.ts";
import { forwarderService, rotationService } from "../../subsystems/dns/upstreams.service.ts";
import { type RecordProblem, zoneServices } from "../../subsystems/dns/zones.service.ts";
import type { SecretKeeping } from "../../subsystems/sealed.ts";

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

export type DnsServices = ReturnType<typeof dnsServices>;

/** The services of the DNS subsystem. */
export function dnsServices({
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
  const serviceRules = serviceRuleService({ ledger, services, rules });
  return {
    dns,
    rules,
    serviceRules,
    allowlist,
    blocklist,
    rewrites,
    zones,
    records,
    forwarders,
    rotation,
    lists,
    options,
    extfilter,
  };
}

/** The first problem of a record in its zone. */
const recordProblem: RecordProblem = (record, siblings, zone) => {
  const records = [...siblings, record];
  const findings = checkZone({ ...zone, records });
  const own = findings.find((it) => it.record === records.length - 1 || it.record === null);
  return own ? { field: "value", reason: own.reason } : null;
};
