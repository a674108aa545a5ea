import type { DnsZone } from "@portcullis/contract/subsystems/dns-zones";
import { useQuery } from "@tanstack/react-query";
import { useSearchParam } from "../../ui/search-param.ts";
import { EntryDialog } from "../../ui/body-form.tsx";
import { EntryTable } from "../../ui/entry-table.tsx";
import { StopDialog } from "../../ui/floating.tsx";
import { RowSwitch } from "../../ui/row-switch.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { allRows, useAction } from "../../api/queries.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
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
  const { dns } = useTranslation();
  const t = dns.zones;
  const format = useFormat();
  const toast = useToast();
  const [, setZone] = useSearchParam("zone");
  const update = useAction("dnsZones", "update", { invalidates: ["dns"] });
  const enabled = useEnabledColumn<DnsZone>("dnsZones", ({ name }) => name);
  return (
    <EntryTable
      title={t.title}
      query={zones}
      nameOf={({ name }) => name}
      empty={t.empty}
      subsystem="dnsZones"
      add={t.add}
      word="add"
      columns={[
        { key: "name", title: t.fields.name.label, width: "2fr", cell: ({ name }) => name },
        {
          key: "fill",
          title: t.fields.fill_from_devices.label,
          cell: ({ id, name, fill_from_devices }) => (
            <RowSwitch
              label={t.fillFor(name)}
              needs={["dnsZones", "update"]}
              value={fill_from_devices}
              onChange={(fill) =>
                update.mutate({ params: { id }, body: { fill_from_devices: fill } }, { onError: toast.failed })
              }
            />
          ),
        },
        enabled,
        { key: "ttl", title: t.fields.ttl_sec.label, right: true, cell: ({ ttl_sec }) => format.duration(ttl_sec) },
        { key: "serial", title: t.serial, right: true, cell: ({ serial }) => String(serial) },
      ]}
      dialog={(row, onClose) => <ZoneDialog row={row} onClose={onClose} />}
      removal={{ confirming: (zone, onClose) => <RemoveZone zone={zone} onClose={onClose} /> }}
      more={(zone) => [{ label: t.showRecords, onPress: () => setZone(zone.id) }]}
    />
  );
}

const useZones = () => useQuery(allRows("dnsZones", "list"));

function RemoveZone({ zone, onClose }: { readonly zone: DnsZone; readonly onClose: () => void }) {
  const t = useTranslation().dns.zones;
  const records = useQuery(allRows("dnsRecords", "list", { zone_id: zone.id })).data;
  const remove = useAction("dnsZones", "remove", { invalidates: ["dns", "dnsRecords"] });
  return (
    <StopDialog
      onClose={onClose}
      title={t.removeTitle(zone.name)}
      text={t.removes(zone.name, records?.length)}
      action={t.removeAction}
      act={() => remove.mutateAsync({ params: { id: zone.id } })}
    />
  );
}

function ZoneDialog({ row, onClose }: { readonly row: DnsZone | undefined; readonly onClose: () => void }) {
  const { dns } = useTranslation();
  return (
    <EntryDialog
      of="dnsZones"
      row={row}
      onClose={onClose}
      invalidates={["dns"]}
      title={row ? dns.rules.edit(row.name) : dns.zones.add}
      fields={["name", "ttl_sec", "fill_from_devices", "enabled"]}
      texts={{ ...dns.zones.fields, enabled: dns.rules.enabled }}
      examples={{ name: "home.arpa" }}
    />
  );
}
