import type { SourceType } from "@portcullis/contract/subsystems/routing";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { SelectField, TextField } from "../../ui/form.tsx";
import { PickField } from "../../ui/pick.tsx";
import { allRows } from "../../api/queries.ts";
import { useTranslation } from "../../i18n/i18n.tsx";

const types = [
  "device",
  "device_group",
  "all",
  "subnet",
  "vlan",
  "interface",
  "destination",
  "domain",
] as const satisfies readonly SourceType[];

interface SourceProps {
  readonly type: SourceType;
  readonly value: string;
  readonly onChange: (type: SourceType, value: string) => void;
}

/** The source of the traffic. */
export function SourceFields({ type, value, onChange }: SourceProps) {
  const t = useTranslation().routing.editor;
  return (
    <div className="routing-pair">
      <SelectField
        label={t.sourceType}
        name="source_type"
        value={type}
        options={types.map((it) => ({ value: it, label: t.sources[it] }))}
        onChange={(next) => onChange(next, "")}
      />
      {type === "device" || type === "device_group" ? (
        <Chooser key={type} type={type} value={value} onChange={(next) => onChange(type, next)} />
      ) : (
        type !== "all" && (
          <TextField
            label={t.values[type]}
            name="source_value"
            placeholder={t.examples[type]}
            value={value}
            onChange={(next) => onChange(type, next)}
          />
        )
      )}
    </div>
  );
}

interface ChooserProps {
  readonly type: "device" | "device_group";
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function Chooser({ type, value, onChange }: ChooserProps) {
  const t = useTranslation().routing.editor;
  const devices = useQuery({ ...allRows("devices", "list"), staleTime: 30_000 }).data;
  const groups = useQuery({ ...allRows("deviceGroups", "list"), staleTime: 30_000 }).data;
  const options = useMemo(() => {
    const named: readonly { readonly id: string; readonly name: string }[] =
      (type === "device" ? devices : groups) ?? [];
    return named.map(({ id, name }) => ({ value: id, label: name }));
  }, [type, devices, groups]);
  return <PickField label={t.values[type]} name="source_value" {...{ value, onChange, options }} />;
}
