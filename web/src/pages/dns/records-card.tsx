import type { DnsRecord, DnsZone } from "@portcullis/contract/subsystems/dns-zones";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useSearchParam } from "../../ui/search-param.ts";
import { EntryDialog } from "../../ui/body-form.tsx";
import { EntryTable } from "../../ui/entry-table.tsx";
import { SelectField, TextField } from "../../ui/form.tsx";
import { allRows } from "../../api/queries.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { fullName, recordExamples, recordTypes } from "./record-names.ts";
import { useRemoval } from "./removal.ts";
import { useDebounced } from "../../ui/debounced.ts";

export function RecordsCard({ zones }: { readonly zones: readonly DnsZone[] }) {
  const { dns } = useTranslation();
  const t = dns.zones;
  const format = useFormat();
  const [zone, setZone] = useSearchParam("zone");
  const [find, setFind] = useSearchParam("find");
  const wanted = useDebounced(find.trim());
  const records = useQuery({
    ...allRows("dnsRecords", "list", { ...(zone && { zone_id: zone }), ...(wanted && { name: wanted }) }),
    placeholderData: keepPreviousData,
  });
  const byId = useMemo(() => new Map(zones.map((it) => [it.id, it])), [zones]);
  const remove = useRemoval("dnsRecords");
  const nameOf = ({ name, zone_id }: DnsRecord) => fullName(name, byId.get(zone_id)?.name ?? "");
  return (
    <>
      <div className="dns-filters">
        <SelectField
          label={t.record.zone_id}
          value={zone}
          onChange={setZone}
          options={[{ value: "", label: t.everyZone }, ...zones.map(({ id, name }) => ({ value: id, label: name }))]}
        />
        <TextField label={t.findRecord} type="search" value={find} onChange={setFind} />
      </div>
      <EntryTable
        title={t.records}
        query={records}
        nameOf={nameOf}
        empty={t.noRecords}
        find={wanted}
        subsystem="dnsRecords"
        add={t.addRecord}
        word="record"
        columns={[
          { key: "name", title: t.record.name, width: "2fr", cell: nameOf },
          { key: "type", title: t.record.type, width: "5rem", cell: ({ type }) => type },
          {
            key: "value",
            title: t.record.value,
            width: "2fr",
            cell: ({ value }) => <span className="code">{value}</span>,
          },
          {
            key: "ttl",
            title: t.record.ttl_sec.label,
            width: "9rem",
            right: true,
            cell: ({ ttl_sec }) => (ttl_sec === null ? t.asZone : format.duration(ttl_sec)),
          },
        ]}
        dialog={(row, onClose) => (
          <RecordDialog zones={zones} zone={row?.zone_id ?? zone} row={row} onClose={onClose} />
        )}
        removal={(it) => remove(it, `${it.type} ${nameOf(it)}`)}
      />
    </>
  );
}

interface DialogProps {
  readonly zones: readonly DnsZone[];
  readonly zone: string;
  readonly row: DnsRecord | undefined;
  readonly onClose: () => void;
}

function RecordDialog({ zones, zone, row, onClose }: DialogProps) {
  const { dns } = useTranslation();
  const t = dns.zones;
  const nameIn = (id: string | undefined) => zones.find((it) => it.id === id)?.name ?? "";
  return (
    <EntryDialog
      of="dnsRecords"
      row={row}
      first={{ zone_id: zone || (zones[0]?.id ?? "") }}
      onClose={onClose}
      invalidates={["dns", "dnsZones"]}
      title={row ? dns.rules.edit(fullName(row.name, nameIn(row.zone_id))) : t.addRecord}
      fields={[["zone_id", "type"], "name", "value", "ttl_sec"]}
      texts={{ ...t.record, type: { label: t.record.type, options: recordTypes } }}
      hints={({ name, type, zone_id }) => ({
        name: t.becomes(fullName(name || "@", nameIn(zone_id))),
        value: type && t.hints[type],
      })}
      examples={({ type }) => ({ name: type === "PTR" ? "7" : "nas", value: recordExamples[type ?? "A"] })}
    />
  );
}
