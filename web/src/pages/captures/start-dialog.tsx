import { useQuery } from "@tanstack/react-query";
import { SelectField } from "../../ui/form.tsx";
import { BodyDialog } from "../../ui/body-form.tsx";
import { useBody } from "../../ui/body-state.ts";
import { apiQuery, useAction } from "../../api/queries.ts";
import { rulesOf } from "../../api/rules.ts";
import { useMay } from "../../api/session.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";

interface Props {
  readonly onClose: () => void;
  readonly onStarted: (id: string) => void;
}

/** The gateway compiles the filter; its message appears at the field. */
export function StartDialog({ onClose, onStarted }: Props) {
  const { captures: t } = useTranslation();
  const may = useMay();
  const mayList = may(["interfaces", "list"]);
  const interfaces = useQuery({ ...apiQuery("interfaces", "list"), enabled: mayList });
  const presets = useQuery(apiQuery("captures", "presets")).data ?? [];
  const form = useBody(rulesOf("captures", "start"));
  const start = useAction("captures", "start", { onDone: ({ id }) => onStarted(id) });
  const names = (interfaces.data ?? []).map(({ name, role }) => ({ value: name, label: `${name} (${t.roles[role]})` }));
  const filter = form.values.filter ?? "";
  const chosen = presets.find((it) => it.filter === filter)?.name ?? "";
  const preset = (
    <SelectField
      key="preset"
      label={t.preset}
      value={chosen}
      onChange={(name) => form.set({ filter: presets.find((it) => it.name === name)?.filter ?? "" })}
      options={[
        { value: "", label: filter === "" ? t.allPackets : t.ownFilter },
        ...presets.map(({ name }) => ({ value: name, label: t.presets[name] ?? name })),
      ]}
    />
  );
  return (
    <BodyDialog
      form={form}
      title={t.start}
      needs={["captures", "start"]}
      onClose={onClose}
      onSave={(body) => start.mutate({ body: { ...body, interface: body.interface ?? "" } })}
      busy={start.isPending}
      problem={start.error}
      action={t.startAction}
      fields={["interface", preset, "filter", "count", "duration_sec"]}
      texts={t.fields}
      {...(mayList && { options: { interface: [{ value: "", label: t.choose }, ...names] } })}
    >
      <p className="quiet">{t.privacy}</p>
    </BodyDialog>
  );
}
