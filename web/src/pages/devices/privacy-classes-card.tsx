import type { PrivacyClass } from "@portcullis/contract/subsystems/classes";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { EntryTable } from "../../ui/entry-table.tsx";
import { allRows } from "../../api/queries.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { PrivacyClassDialog } from "./privacy-class-dialog.tsx";
import { ClassRemoval } from "./removal.tsx";

export function PrivacyClassesCard() {
  const t = useTranslation().devices.belongings;
  const format = useFormat();
  const all = useQuery(allRows("privacyClasses", "list"));
  const demands = (of: PrivacyClass): string[] =>
    (["require_tunnel", "force_dns", "block_doh", "block_webrtc", "block_ipv6"] as const)
      .filter((it) => of[it])
      .map((it) => t.privacy.short[it]);
  return (
    <EntryTable
      title={t.privacy.title}
      query={all}
      subsystem="privacyClasses"
      nameOf={({ name }) => name}
      empty={t.privacy.none}
      add={t.privacy.add}
      word="privacy-class"
      dialog={(of, onClose) => <PrivacyClassDialog of={of} onClose={onClose} />}
      removal={{ confirming: (of, onClose) => <ClassRemoval type="privacy_class" {...of} onClose={onClose} /> }}
      columns={[
        {
          key: "name",
          title: t.name,
          cell: ({ id, name, description }) => (
            <div>
              <Link href={`/devices?class=${id}`}>{name}</Link>
              {description && <div className="quiet fine">{description}</div>}
            </div>
          ),
        },
        {
          key: "demands",
          title: t.privacy.demands,
          width: "2fr",
          cell: (of) => <span className="fine">{format.list(demands(of))}</span>,
        },
      ]}
    />
  );
}
