import type { InputOf, Page } from "@portcullis/contract/endpoint";
import { Problem } from "@portcullis/contract/problem";
import {
  type DnsRecord,
  type ShownDnsRecord,
  type dnsRecords,
  type DnsZone,
  dnsZoneLimits,
  type dnsZones,
} from "@portcullis/contract/subsystems/dns-zones";
import type { Cause, Draft } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { found, given, newId, pageOf, refuseField, refuseTaken, resolve } from "../resources.ts";
import { domainIn, labelsIn } from "./domains.ts";
import { refuseMore, wanted } from "./entries.ts";

/** A record in the form of a zone file. */
interface ZoneRecord {
  readonly name: string;
  readonly type: DnsRecord["type"];
  readonly value: string;
  readonly ttlSec: number | null;
}

/** The problem of a record together with the other records of its zone; null if there is none. */
export type RecordProblem = (
  record: ZoneRecord,
  siblings: readonly ZoneRecord[],
  zone: { readonly name: string; readonly serial: number; readonly ttlSec: number },
) => { readonly field: string; readonly reason: string } | null;

interface Needs {
  readonly ledger: Ledger;
  readonly recordProblem: RecordProblem;
}

/** The gateway's own zones and their records. A change of a record increases the serial of its zone in the same transaction. */
export function zoneServices({ ledger, recordProblem }: Needs) {
  const zones = ledger.staged<DnsZone>("dns_zone");
  const records = ledger.staged<DnsRecord>("dns_record");

  function putZone(cause: Cause, zone: DnsZone): DnsZone {
    refuseTaken(zones, "zone", "name", zone.name, zone.id);
    ledger.change(cause, (draft) => draft.put("dns_zone", zone));
    return zone;
  }
  const recordsOf = (zoneId: string) => records.all().filter(({ zone_id }) => zone_id === zoneId);

  function normalize(requested: DnsRecord): DnsRecord {
    const zone = found(zones, "zone", requested.zone_id);
    const record = { ...requested, name: relativeName(requested.name, zone.name) };
    const siblings = recordsOf(zone.id).filter(({ id }) => id !== record.id);
    const twin = siblings.find(
      ({ name, type, value }) => name === record.name && type === record.type && value === record.value,
    );
    if (twin) throw new Problem("conflict", { existing_id: twin.id }, { message: "The zone has this record already" });
    const problem = recordProblem(inZone(record), siblings.map(inZone), {
      name: zone.name,
      serial: zone.serial,
      ttlSec: zone.ttl_sec,
    });
    return problem ? refuseField(problem.field === "ttlSec" ? "ttl_sec" : problem.field, problem.reason) : record;
  }
  const bump = (draft: Draft, ids: readonly string[]): void => {
    for (const id of new Set(ids)) {
      const zone = zones.get(id);
      if (zone) draft.put("dns_zone", grown(zone));
    }
  };
  function putRecord(cause: Cause, before: DnsRecord | undefined, record: DnsRecord): DnsRecord {
    ledger.change(cause, (draft) => {
      draft.about(record.id);
      draft.put("dns_record", record);
      bump(draft, [record.zone_id, ...(before ? [before.zone_id] : [])]);
    });
    return record;
  }

  const shown = (record: DnsRecord): ShownDnsRecord => ({
    ...record,
    zone_name: zones.get(record.zone_id)?.name ?? record.zone_id,
  });

  type ZoneUpdate = InputOf<typeof dnsZones.update>["body"];
  type RecordUpdate = InputOf<typeof dnsRecords.update>["body"];
  return {
    zones: {
      list: (query: InputOf<typeof dnsZones.list>["query"]): Page<DnsZone> =>
        pageOf(zones, query, wanted<DnsZone>(given({ enabled: query.enabled }))),
      get: (id: string): DnsZone => found(zones, "zone", id),
      create: (cause: Cause, body: InputOf<typeof dnsZones.create>["body"]): DnsZone => {
        refuseMore(zones.count(), dnsZoneLimits.zones, "zones");
        return putZone(cause, { ...blank, ...body, name: domainIn("name", body.name), serial: 1, id: newId() });
      },
      update: (cause: Cause, id: string, body: ZoneUpdate): DnsZone => {
        const before = found(zones, "zone", id);
        const name = body.name === undefined ? before.name : domainIn("name", body.name);
        return putZone(cause, grown({ ...before, ...given(body), name }));
      },
      /** Deletes the records of the zone too. */
      remove: (cause: Cause, id: string): void => {
        found(zones, "zone", id);
        ledger.change(cause, (draft) => {
          draft.about(id);
          for (const record of recordsOf(id)) draft.remove("dns_record", record.id);
          draft.remove("dns_zone", id);
        });
      },
    },
    records: {
      list: (query: InputOf<typeof dnsRecords.list>["query"]): Page<ShownDnsRecord> => {
        const { items, ...rest } = pageOf(
          records,
          query,
          wanted<DnsRecord>(given({ zone_id: query.zone_id, type: query.type }), {
            text: query.name,
            of: ({ name }) => [name],
          }),
        );
        return { items: items.map(shown), ...rest };
      },
      get: (id: string): ShownDnsRecord => shown(found(records, "record", id)),
      create: (cause: Cause, body: InputOf<typeof dnsRecords.create>["body"]): ShownDnsRecord => {
        refuseMore(records.count(), dnsZoneLimits.records, "records");
        const zone_id = resolve(zones, "zone_id", body.zone_id);
        return shown(putRecord(cause, undefined, normalize({ ttl_sec: null, ...body, zone_id, id: newId() })));
      },
      update: (cause: Cause, id: string, body: RecordUpdate): ShownDnsRecord => {
        const before = found(records, "record", id);
        const zone_id = body.zone_id === undefined ? before.zone_id : resolve(zones, "zone_id", body.zone_id);
        return shown(putRecord(cause, before, normalize({ ...before, ...given(body), zone_id })));
      },
      remove: (cause: Cause, id: string): void => {
        const { zone_id } = found(records, "record", id);
        ledger.change(cause, (draft) => {
          draft.about(id);
          draft.remove("dns_record", id);
          bump(draft, [zone_id]);
        });
      },
    },
  };
}

const blank = { ttl_sec: 3600, fill_from_devices: false, enabled: true };

/** Serials are 32 bits and wrap around (RFC 1982); zero is skipped, because some software treats it as unset. */
const grown = (zone: DnsZone): DnsZone => ({ ...zone, serial: zone.serial >= 0xffff_ffff ? 1 : zone.serial + 1 });

const inZone = ({ name, type, value, ttl_sec }: DnsRecord): ZoneRecord => ({ name, type, value, ttlSec: ttl_sec });

/** `www.example.org` in `example.org` is `www`. A leading `*` is a wildcard. */
function relativeName(name: string, zone: string): string {
  if (name === "@") return name;
  const isWild = name === "*" || name.startsWith("*.");
  const rest = isWild ? name.slice(2) : name;
  const full = rest === "" ? "" : labelsIn("name", rest);
  const below = full === zone ? "" : full.endsWith(`.${zone}`) ? full.slice(0, -zone.length - 1) : full;
  if (below === full && name.endsWith(".")) refuseField("name", `is not in the zone ${zone}`);
  return [...(isWild ? ["*"] : []), ...(below === "" ? [] : [below])].join(".") || "@";
}
