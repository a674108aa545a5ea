import type { DnsRecord, DnsZone } from "@portcullis/contract/subsystems/dns-zones";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useSearchParam } from "../../ui/search-param.ts";
import { useDraft } from "../../ui/draft.ts";
import { EntryTable } from "../../ui/entry-table.tsx";
import { SelectField, TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { allRows, useSave } from "../../api/queries.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { fullName, recordExamples } from "./record-names.ts";
import { useRemoval } from "./removal.ts";
import { useDebounced } from "./debounced.ts";

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
          label={t.zone}
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
          { key: "name", title: t.recordName, width: "2fr", cell: nameOf },
          { key: "type", title: t.type, width: "5rem", cell: ({ type }) => type },
          { key: "value", title: t.value, width: "2fr", cell: ({ value }) => <span className="code">{value}</span> },
          {
            key: "ttl",
            title: t.ttl,
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
const types = Object.keys(recordExamples) as DnsRecord["type"][];

function RecordDialog({ zones, zone, row, onClose }: DialogProps) {
  const { dns } = useTranslation();
  const t = dns.zones;
  const [draft, change] = useDraft({
    zone_id: zone || (zones[0]?.id ?? ""),
    name: row?.name ?? "",
    type: row?.type ?? ("A" as const),
    value: row?.value ?? "",
    ttl_sec: row?.ttl_sec == null ? "" : String(row.ttl_sec),
  });
  const { save, ...saving } = useSave("dnsRecords", row?.id, { invalidates: ["dns", "dnsZones"], onDone: onClose });
  const body = { ...draft, ttl_sec: draft.ttl_sec.trim() === "" ? null : Number(draft.ttl_sec) };
  const zoneName = zones.find(({ id }) => id === draft.zone_id)?.name ?? "";
  return (
    <FormDialog
      needs={["dnsRecords", row ? "update" : "create"]}
      title={row ? dns.rules.edit(fullName(row.name, zoneName)) : t.addRecord}
      onClose={onClose}
      onSave={() => save(body)}
      {...saving}
    >
      <div className="grid dns-pair">
        <SelectField
          label={t.zone}
          name="zone_id"
          value={draft.zone_id}
          onChange={(zone_id) => change({ zone_id })}
          options={zones.map(({ id, name }) => ({ value: id, label: name }))}
        />
        <SelectField
          label={t.type}
          name="type"
          value={draft.type}
          onChange={(type) => change({ type })}
          options={types.map((value) => ({ value, label: value }))}
        />
      </div>
      <TextField
        label={t.recordName}
        hint={t.becomes(fullName(draft.name || "@", zoneName))}
        name="name"
        placeholder={draft.type === "PTR" ? "7" : "nas"}
        value={draft.name}
        onChange={(name) => change({ name })}
      />
      <TextField
        label={t.value}
        hint={t.hints[draft.type]}
        name="value"
        placeholder={recordExamples[draft.type]}
        value={draft.value}
        onChange={(value) => change({ value })}
      />
      <TextField
        label={t.ttlSeconds}
        hint={t.recordTtlHint}
        name="ttl_sec"
        type="number"
        min={0}
        max={604_800}
        optional
        value={draft.ttl_sec}
        onChange={(ttl_sec) => change({ ttl_sec })}
      />
    </FormDialog>
  );
}
