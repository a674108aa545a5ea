import type { PrivacyClass } from "@portcullis/contract/subsystems/classes";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { EntryTable } from "../../ui/entry-table.tsx";
import { everyRow } from "../../api/reading.ts";
import { useFormat, useWords } from "../../i18n/i18n.tsx";
import { PrivacyClassDialog } from "./privacy-class-dialog.tsx";
import { ClassRemoval } from "./removal.tsx";

export function PrivacyClassesCard() {
  const say = useWords().devices.belongings;
  const format = useFormat();
  const all = useQuery(everyRow("privacyClasses", "list"));
  const demands = (of: PrivacyClass): string[] =>
    (["require_tunnel", "force_dns", "block_doh", "block_webrtc", "block_ipv6"] as const)
      .filter((it) => of[it])
      .map((it) => say.privacy.short[it]);
  return (
    <EntryTable
      title={say.privacy.title}
      query={all}
      subsystem="privacyClasses"
      nameOf={({ name }) => name}
      empty={say.privacy.none}
      add={say.privacy.add}
      word="privacy-class"
      dialog={(of, onClose) => <PrivacyClassDialog of={of} onClose={onClose} />}
      removal={{ asks: (of, onClose) => <ClassRemoval type="privacy_class" {...of} onClose={onClose} /> }}
      columns={[
        {
          key: "name",
          title: say.name,
          cell: ({ id, name, description }) => (
            <div>
              <Link href={`/devices?class=${id}`}>{name}</Link>
              {description && <div className="quiet fine">{description}</div>}
            </div>
          ),
        },
        {
          key: "demands",
          title: say.privacy.demands,
          width: "2fr",
          cell: (of) => <span className="fine">{format.list(demands(of))}</span>,
        },
      ]}
    />
  );
}
