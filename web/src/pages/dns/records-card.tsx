import type { DnsRecord, DnsZone } from "@portcullis/contract/subsystems/dns-zones";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useAddress } from "../../ui/address.ts";
import { useDraft } from "../../ui/draft.ts";
import { EntryTable } from "../../ui/entry-table.tsx";
import { SelectField, TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { everyRow, useSaving } from "../../api/reading.ts";
import { useFormat, useWords } from "../../i18n/i18n.tsx";
import { fullName, recordExamples } from "./record-names.ts";
import { useRemoval } from "./removal.ts";
import { useSettled } from "./settled.ts";

export function RecordsCard({ zones }: { readonly zones: readonly DnsZone[] }) {
  const { dns } = useWords();
  const say = dns.zones;
  const format = useFormat();
  const [zone, setZone] = useAddress("zone");
  const [find, setFind] = useAddress("find");
  const wanted = useSettled(find.trim());
  const records = useQuery({
    ...everyRow("dnsRecords", "list", { ...(zone && { zone_id: zone }), ...(wanted && { name: wanted }) }),
    placeholderData: keepPreviousData,
  });
  const byId = useMemo(() => new Map(zones.map((it) => [it.id, it])), [zones]);
  const remove = useRemoval("dnsRecords");
  const nameOf = ({ name, zone_id }: DnsRecord) => fullName(name, byId.get(zone_id)?.name ?? "");
  return (
    <>
      <div className="dns-filters">
        <SelectField
          label={say.zone}
          value={zone}
          onChange={setZone}
          options={[{ value: "", label: say.everyZone }, ...zones.map(({ id, name }) => ({ value: id, label: name }))]}
        />
        <TextField label={say.findRecord} type="search" value={find} onChange={setFind} />
      </div>
      <EntryTable
        title={say.records}
        query={records}
        nameOf={nameOf}
        empty={say.noRecords}
        find={wanted}
        subsystem="dnsRecords"
        add={say.addRecord}
        word="record"
        columns={[
          { key: "name", title: say.recordName, width: "2fr", cell: nameOf },
          { key: "type", title: say.type, width: "5rem", cell: ({ type }) => type },
          { key: "value", title: say.value, width: "2fr", cell: ({ value }) => <span className="code">{value}</span> },
          {
            key: "ttl",
            title: say.ttl,
            width: "9rem",
            right: true,
            cell: ({ ttl_sec }) => (ttl_sec === null ? say.asZone : format.duration(ttl_sec)),
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
  const { dns } = useWords();
  const say = dns.zones;
  const [draft, change] = useDraft({
    zone_id: zone || (zones[0]?.id ?? ""),
    name: row?.name ?? "",
    type: row?.type ?? ("A" as const),
    value: row?.value ?? "",
    ttl_sec: row?.ttl_sec == null ? "" : String(row.ttl_sec),
  });
  const { save, ...saving } = useSaving("dnsRecords", row?.id, { renews: ["dns", "dnsZones"], onDone: onClose });
  const body = { ...draft, ttl_sec: draft.ttl_sec.trim() === "" ? null : Number(draft.ttl_sec) };
  const zoneName = zones.find(({ id }) => id === draft.zone_id)?.name ?? "";
  return (
    <FormDialog
      needs={["dnsRecords", row ? "update" : "create"]}
      title={row ? dns.rules.edit(fullName(row.name, zoneName)) : say.addRecord}
      onClose={onClose}
      onSave={() => save(body)}
      {...saving}
    >
      <div className="grid dns-pair">
        <SelectField
          label={say.zone}
          name="zone_id"
          value={draft.zone_id}
          onChange={(zone_id) => change({ zone_id })}
          options={zones.map(({ id, name }) => ({ value: id, label: name }))}
        />
        <SelectField
          label={say.type}
          name="type"
          value={draft.type}
          onChange={(type) => change({ type })}
          options={types.map((value) => ({ value, label: value }))}
        />
      </div>
      <TextField
        label={say.recordName}
        hint={say.becomes(fullName(draft.name || "@", zoneName))}
        name="name"
        placeholder={draft.type === "PTR" ? "7" : "nas"}
        value={draft.name}
        onChange={(name) => change({ name })}
      />
      <TextField
        label={say.value}
        hint={say.hints[draft.type]}
        name="value"
        placeholder={recordExamples[draft.type]}
        value={draft.value}
        onChange={(value) => change({ value })}
      />
      <TextField
        label={say.ttlSeconds}
        hint={say.recordTtlHint}
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
