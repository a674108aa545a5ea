import type { Device, DeviceGroup } from "@portcullis/contract/subsystems/devices";
import type { DnsSource, DnsSourceType } from "@portcullis/contract/subsystems/dns-source";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { SelectField, TextField } from "../../ui/form.tsx";
import { PickField } from "../../ui/pick.tsx";
import { allRows } from "../../api/queries.ts";
import { useMay } from "../../api/session.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";

export interface Known {
  readonly devices: ReadonlyMap<string, Device>;
  readonly groups: ReadonlyMap<string, DeviceGroup>;
  readonly classes: ReadonlyMap<string, { readonly id: string; readonly name: string }>;
}

/** All possible scopes of a DNS entry, by id. */
export function useKnown(): Known {
  const may = useMay();
  const cached = { staleTime: 30_000 };
  const devices = useQuery({ ...allRows("devices", "list"), ...cached, enabled: may(["devices", "list"]) }).data;
  const groups = useQuery({
    ...allRows("deviceGroups", "list"),
    ...cached,
    enabled: may(["deviceGroups", "list"]),
  }).data;
  const classes = useQuery({
    ...allRows("privacyClasses", "list"),
    ...cached,
    enabled: may(["privacyClasses", "list"]),
  }).data;
  return useMemo(
    () => ({ devices: byId(devices ?? []), groups: byId(groups ?? []), classes: byId(classes ?? []) }),
    [devices, groups, classes],
  );
}

const byId = <T extends { readonly id: string }>(rows: readonly T[]): ReadonlyMap<string, T> =>
  new Map(rows.map((row) => [row.id, row]));

/** "Everyone", "Kitchen TV", "group Living room": the scope of a DNS entry. */
export function useSourceName(): (source: DnsSource) => string {
  const t = useTranslation().dns.scope;
  const { devices, groups, classes } = useKnown();
  return ({ source_type, source_value }) => {
    const named = { device: devices, device_group: groups, privacy_class: classes };
    const name =
      source_type === "everyone" || source_type === "subnet" ? undefined : named[source_type].get(source_value)?.name;
    return t.named[source_type](name ?? source_value);
  };
}

interface ScopeProps {
  readonly value: DnsSource;
  readonly onChange: (source: DnsSource) => void;
}
const types: readonly DnsSourceType[] = ["everyone", "device", "device_group", "privacy_class", "subnet"];

/** The scope among the values of a form. */
export const scopeOf = ({ source_type = "everyone", source_value = "" }: Partial<ScopeProps["value"]>) => ({
  source_type,
  source_value,
});

/** A scope field: the kind first, then the resource. */
export function ScopeFields({ value: { source_type, source_value }, onChange }: ScopeProps) {
  const t = useTranslation().dns.scope;
  const { devices, groups, classes } = useKnown();
  const listed = { device: devices, device_group: groups, privacy_class: classes };
  const choose = (chosen: string) => onChange({ source_type, source_value: chosen });
  return (
    <div className="grid dns-pair">
      <SelectField
        label={t.label}
        name="source_type"
        hint={t.hint}
        value={source_type}
        onChange={(type) => onChange({ source_type: type, source_value: "" })}
        options={types.map((type) => ({ value: type, label: t.types[type] }))}
      />
      {source_type === "subnet" && (
        <TextField
          label={t.types.subnet}
          name="source_value"
          value={source_value}
          placeholder="10.0.20.0/24"
          onChange={choose}
        />
      )}
      {source_type !== "everyone" && source_type !== "subnet" && (
        <PickField
          label={t.types[source_type]}
          name="source_value"
          value={source_value}
          onChange={choose}
          options={[...listed[source_type].values()].map(({ id, name }) => ({ value: id, label: name }))}
        />
      )}
    </div>
  );
}
