import Type, { type Static } from "typebox";
import { collection } from "../collection.ts";
import { Id, IdOrName, named, Nullable, OneOf, Reference, ReferenceOrName } from "../values.ts";
import { Domain } from "./dns-source.ts";

export const dnsZoneLimits = { zones: 1000, records: 100_000 } as const;

const Ttl = Type.Integer({ minimum: 0, maximum: 604_800, description: "Seconds that an answer may be cached" });
const zoneOptions = {
  ttl_sec: { ...Ttl, default: 3600, description: "TTL of records without their own" },
  fill_from_devices: Type.Boolean({
    default: false,
    description: "Whether the zone also contains the names of devices, and a reverse zone their addresses",
  }),
  enabled: Type.Boolean({ default: true }),
};

export const DnsZone = named(
  "DnsZone",
  Type.Object({
    id: Id,
    name: Domain,
    ...zoneOptions,
    serial: Type.Integer({ description: "Increases with every change of the zone or its records" }),
  }),
);
export type DnsZone = Readonly<Static<typeof DnsZone>>;

export const dnsZones = collection({
  path: "/dns/zones",
  noun: "zone",
  key: "dns_zone",
  resource: DnsZone,
  required: { name: Domain },
  optional: zoneOptions,
  filters: { enabled: Type.Boolean() },
  cli: "zones",
  columns: ["id", "name", "ttl_sec", "serial", "fill_from_devices", "enabled"],
  idInQuery: true,
});

export const dnsRecordTypes = ["A", "AAAA", "CNAME", "MX", "TXT", "SRV", "NS", "PTR", "CAA"] as const;
const RecordType = OneOf(dnsRecordTypes);
const RecordName = Type.String({
  minLength: 1,
  maxLength: 254,
  description: 'Relative to the zone; "@" is the zone itself. A fully qualified name in the zone is shortened',
});
const RecordValue = Type.String({
  minLength: 1,
  maxLength: 4096,
  pattern: "^[^\\p{Cc}\\p{Cs}]+$",
  description: 'As in a zone file: `192.0.2.7`, `10 mail.example.org.`, `"text"`',
});
const RecordTtl = Nullable({ ...Ttl, description: "null: the TTL of the zone" });

/** As it is stored. */
export const DnsRecord = Type.Object({
  id: Id,
  zone_id: Reference("dns_zone"),
  name: RecordName,
  type: RecordType,
  value: RecordValue,
  ttl_sec: RecordTtl,
});
export type DnsRecord = Readonly<Static<typeof DnsRecord>>;

/** As in responses. */
const ShownRecord = named("DnsRecord", Type.Object({ ...DnsRecord.properties, zone_name: Domain }));
export type ShownDnsRecord = Readonly<Static<typeof ShownRecord>>;

export const dnsRecords = collection({
  path: "/dns/records",
  noun: "record",
  key: "dns_record",
  resource: ShownRecord,
  required: { zone_id: ReferenceOrName("dns_zone"), name: RecordName, type: RecordType, value: RecordValue },
  optional: { ttl_sec: RecordTtl },
  filters: {
    zone_id: IdOrName("dns_zone", "zone"),
    type: RecordType,
    name: Type.String({ maxLength: 254, description: "Part of the name" }),
  },
  cli: "records",
  columns: ["id", "zone_name", "name", "type", "value", "ttl_sec"],
  idInQuery: true,
});
