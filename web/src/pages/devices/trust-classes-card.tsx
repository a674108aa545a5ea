import type { TrustClass } from "@portcullis/contract/subsystems/classes";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { useDraft } from "../../ui/draft.ts";
import { EntryTable } from "../../ui/entry-table.tsx";
import { SelectField, TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { everyRow, useSaving } from "../../api/reading.ts";
import { useBelongings } from "../../components/device-belongings.ts";
import { useFormat, useWords } from "../../i18n/i18n.tsx";
import { ClassRemoval } from "./removal.tsx";

export function TrustClassesCard() {
  const say = useWords().devices.belongings;
  const format = useFormat();
  const all = useQuery({ ...everyRow("trustClasses", "list"), select: byLevel });
  const { privacy } = useBelongings();
  return (
    <EntryTable
      title={say.trust.title}
      query={all}
      subsystem="trustClasses"
      nameOf={({ name }) => name}
      empty={say.trust.none}
      add={say.trust.add}
      word="trust-class"
      dialog={(of, onClose) => <TrustDialog of={of} onClose={onClose} />}
      removal={{ asks: (of, onClose) => <ClassRemoval type="trust_class" {...of} onClose={onClose} /> }}
      columns={[
        {
          key: "name",
          title: say.name,
          cell: ({ id, name }) => <Link href={`/devices?class=${id}`}>{name}</Link>,
        },
        { key: "text", title: say.description, width: "1.5fr", cell: ({ description }) => description },
        {
          key: "privacy",
          title: say.trust.privacy,
          cell: ({ default_privacy_class: id }) => (id === null ? "" : privacy.get(id)?.name),
        },
        {
          key: "level",
          title: say.trust.level,
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
  const { devices, kit } = useWords();
  const say = devices.belongings;
  const { privacy } = useBelongings();
  const [draft, set] = useDraft({
    name: of?.name ?? "",
    description: of?.description ?? "",
    level: String(of?.level ?? 50),
    default_privacy_class: of?.default_privacy_class ?? "",
  });
  const { save, ...saving } = useSaving("trustClasses", of?.id, {
    renews: ["devices", "policyViews"],
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
      title={of ? say.editTitle(of.name) : say.trust.add}
      onClose={onClose}
      onSave={() => save(body)}
      {...saving}
      action={of ? kit.save : kit.add}
    >
      <TextField label={say.name} name="name" value={draft.name} onChange={(name) => set({ name })} autoFocus />
      <TextField
        label={say.description}
        name="description"
        value={draft.description}
        onChange={(description) => set({ description })}
        optional
      />
      <TextField
        type="number"
        label={say.trust.level}
        hint={say.trust.levelHint}
        name="level"
        min={0}
        max={100}
        value={draft.level}
        onChange={(level) => set({ level })}
      />
      <SelectField
        label={say.trust.privacy}
        hint={say.trust.privacyHint}
        name="default_privacy_class"
        value={draft.default_privacy_class}
        onChange={(default_privacy_class) => set({ default_privacy_class })}
        options={[none, ...[...privacy.values()].map(({ id, name }) => ({ value: id, label: name }))]}
      />
    </FormDialog>
  );
}
