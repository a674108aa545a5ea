import type { TrustClass } from "@portcullis/contract/subsystems/classes";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { EntryTable } from "../../ui/entry-table.tsx";
import { allRows } from "../../api/queries.ts";
import { useBelongings } from "../../components/device-belongings.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { ClassRemoval } from "./removal.tsx";
import { EntryDialog } from "../../ui/body-form.tsx";

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
  const t = useTranslation().devices.belongings;
  return (
    <EntryDialog
      of="trustClasses"
      row={of}
      first={{ level: 50 }}
      onClose={onClose}
      invalidates={["devices", "policyViews"]}
      title={of ? t.editTitle(of.name) : t.trust.add}
      fields={["name", "description", "level", "default_privacy_class"]}
      texts={{
        name: t.name,
        description: t.description,
        level: { label: t.trust.level, hint: t.trust.levelHint },
        default_privacy_class: { label: t.trust.privacy, hint: t.trust.privacyHint },
      }}
    />
  );
}
