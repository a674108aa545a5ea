import type { DnsZone } from "@portcullis/contract/subsystems/dns-zones";
import { useQuery } from "@tanstack/react-query";
import { useAddress } from "../../ui/address.ts";
import { useDraft } from "../../ui/draft.ts";
import { EntryTable } from "../../ui/entry-table.tsx";
import { StopDialog } from "../../ui/floating.tsx";
import { SwitchField, TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { RowSwitch } from "../../ui/row-switch.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { everyRow, useAct, useSaving } from "../../api/reading.ts";
import { useFormat, useWords } from "../../i18n/i18n.tsx";
import { useEnabledColumn } from "./enabled-column.tsx";
import { RecordsCard } from "./records-card.tsx";

/** Zones that the gateway answers itself. */
export function ZonesTab() {
  const zones = useZones();
  return (
    <>
      <ZonesCard zones={zones} />
      {zones.data && zones.data.length > 0 && <RecordsCard zones={zones.data} />}
    </>
  );
}

function ZonesCard({ zones }: { readonly zones: ReturnType<typeof useZones> }) {
  const { dns } = useWords();
  const say = dns.zones;
  const format = useFormat();
  const toast = useToast();
  const [, setZone] = useAddress("zone");
  const update = useAct("dnsZones", "update", { renews: ["dns"] });
  const enabled = useEnabledColumn<DnsZone>("dnsZones", ({ name }) => name);
  return (
    <EntryTable
      title={say.title}
      query={zones}
      nameOf={({ name }) => name}
      empty={say.empty}
      subsystem="dnsZones"
      add={say.add}
      word="add"
      columns={[
        { key: "name", title: say.name, width: "2fr", cell: ({ name }) => name },
        {
          key: "fill",
          title: say.fill,
          cell: ({ id, name, fill_from_devices }) => (
            <RowSwitch
              label={say.fillFor(name)}
              needs={["dnsZones", "update"]}
              value={fill_from_devices}
              onChange={(fill) =>
                update.mutate({ params: { id }, body: { fill_from_devices: fill } }, { onError: toast.failed })
              }
            />
          ),
        },
        enabled,
        { key: "ttl", title: say.ttl, right: true, cell: ({ ttl_sec }) => format.duration(ttl_sec) },
        { key: "serial", title: say.serial, right: true, cell: ({ serial }) => String(serial) },
      ]}
      dialog={(row, onClose) => <ZoneDialog row={row} onClose={onClose} />}
      removal={{ asks: (zone, onClose) => <RemoveZone zone={zone} onClose={onClose} /> }}
      more={(zone) => [{ label: say.showRecords, onPress: () => setZone(zone.id) }]}
    />
  );
}

const useZones = () => useQuery(everyRow("dnsZones", "list"));

function RemoveZone({ zone, onClose }: { readonly zone: DnsZone; readonly onClose: () => void }) {
  const say = useWords().dns.zones;
  const records = useQuery(everyRow("dnsRecords", "list", { zone_id: zone.id })).data;
  const remove = useAct("dnsZones", "remove", { renews: ["dns", "dnsRecords"] });
  return (
    <StopDialog
      onClose={onClose}
      title={say.removeTitle(zone.name)}
      says={say.removes(zone.name, records?.length)}
      action={say.removeAction}
      act={() => remove.mutateAsync({ params: { id: zone.id } })}
    />
  );
}

function ZoneDialog({ row, onClose }: { readonly row: DnsZone | undefined; readonly onClose: () => void }) {
  const { dns } = useWords();
  const say = dns.zones;
  const [draft, change] = useDraft({
    name: row?.name ?? "",
    ttl_sec: String(row?.ttl_sec ?? 3600),
    fill_from_devices: row?.fill_from_devices ?? false,
    enabled: row?.enabled ?? true,
  });
  const { save, ...saving } = useSaving("dnsZones", row?.id, { renews: ["dns"], onDone: onClose });
  const body = { ...draft, ttl_sec: Number(draft.ttl_sec) };
  return (
    <FormDialog
      needs={["dnsZones", row ? "update" : "create"]}
      title={row ? dns.rules.edit(row.name) : say.add}
      onClose={onClose}
      onSave={() => save(body)}
      {...saving}
    >
      <TextField
        label={say.name}
        hint={say.nameHint}
        name="name"
        placeholder="home.arpa"
        value={draft.name}
        autoFocus
        onChange={(name) => change({ name })}
      />
      <TextField
        label={say.ttlSeconds}
        hint={say.ttlHint}
        name="ttl_sec"
        type="number"
        min={0}
        max={604_800}
        value={draft.ttl_sec}
        onChange={(ttl_sec) => change({ ttl_sec })}
      />
      <SwitchField
        label={say.fill}
        hint={say.fillHint}
        value={draft.fill_from_devices}
        onChange={(fill_from_devices) => change({ fill_from_devices })}
      />
      <SwitchField label={dns.rules.enabled} value={draft.enabled} onChange={(enabled) => change({ enabled })} />
    </FormDialog>
  );
}
