import type { TrustClass } from "@portcullis/contract/subsystems/classes";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { useDraft } from "../../ui/draft.ts";
import { EntryTable } from "../../ui/entry-table.tsx";
import { SelectField, TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { allRows, useSave } from "../../api/queries.ts";
import { useBelongings } from "../../components/device-belongings.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { ClassRemoval } from "./removal.tsx";

export function TrustClassesCard() {
  const t = useTranslation().devices.belongings;
  const format = useFormat();
  const all = useQuery({ ...allRows("trustClasses", "list"), select: byLevel });
  const { privacy } = useBelongings();
  return (
    <EntryTable
      title={t.trust.title}
      query={all}
      subsystem="trustClasses"
      nameOf={({ name }) => name}
      empty={t.trust.none}
      add={t.trust.add}
      word="trust-class"
      dialog={(of, onClose) => <TrustDialog of={of} onClose={onClose} />}
      removal={{ confirming: (of, onClose) => <ClassRemoval type="trust_class" {...of} onClose={onClose} /> }}
      columns={[
        {
          key: "name",
          title: t.name,
          cell: ({ id, name }) => <Link href={`/devices?class=${id}`}>{name}</Link>,
        },
        { key: "text", title: t.description, width: "1.5fr", cell: ({ description }) => description },
        {
          key: "privacy",
          title: t.trust.privacy,
          cell: ({ default_privacy_class: id }) => (id === null ? "" : privacy.get(id)?.name),
        },
        {
          key: "level",
          title: t.trust.level,
          right: true,
          width: "6rem",
          cell: ({ level }) => format.number(level),
        },
      ]}
    />
  );
}

const byLevel = (rows: readonly TrustClass[]) => rows.toSorted((a, b) => b.level - a.level);

function TrustDialog({ of, onClose }: { readonly of: TrustClass | undefined; readonly onClose: () => void }) {
  const { devices, ui } = useTranslation();
  const t = devices.belongings;
  const { privacy } = useBelongings();
  const [draft, set] = useDraft({
    name: of?.name ?? "",
    description: of?.description ?? "",
    level: String(of?.level ?? 50),
    default_privacy_class: of?.default_privacy_class ?? "",
  });
  const { save, ...saving } = useSave("trustClasses", of?.id, {
    invalidates: ["devices", "policyViews"],
    onDone: onClose,
  });
  const body = {
    ...draft,
    level: Number(draft.level),
    default_privacy_class: draft.default_privacy_class || null,
  };
  const none = { value: "", label: devices.form.none };
  return (
    <FormDialog
      needs={["trustClasses", "update"]}
      title={of ? t.editTitle(of.name) : t.trust.add}
      onClose={onClose}
      onSave={() => save(body)}
      {...saving}
      action={of ? ui.save : ui.add}
    >
      <TextField label={t.name} name="name" value={draft.name} onChange={(name) => set({ name })} autoFocus />
      <TextField
        label={t.description}
        name="description"
        value={draft.description}
        onChange={(description) => set({ description })}
        optional
      />
      <TextField
        type="number"
        label={t.trust.level}
        hint={t.trust.levelHint}
        name="level"
        min={0}
        max={100}
        value={draft.level}
        onChange={(level) => set({ level })}
      />
      <SelectField
        label={t.trust.privacy}
        hint={t.trust.privacyHint}
        name="default_privacy_class"
        value={draft.default_privacy_class}
        onChange={(default_privacy_class) => set({ default_privacy_class })}
        options={[none, ...[...privacy.values()].map(({ id, name }) => ({ value: id, label: name }))]}
      />
    </FormDialog>
  );
}
