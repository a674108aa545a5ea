import type { AuditEntry } from "@portcullis/contract/subsystems/records";
import type { Difference } from "@portcullis/contract/subsystems/history";
import { useQuery } from "@tanstack/react-query";
import { LinkButton } from "../../ui/button.tsx";
import { LoadedCard } from "../../ui/page.tsx";
import { Ago } from "../../ui/time.tsx";
import { apiQuery } from "../../api/queries.ts";
import { Differences } from "../../components/differences.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";

const max = 20;

/** Audit entries of this device, newest first. */
export function HistoryCard({ id }: { readonly id: string }) {
  const t = useTranslation().device.history;
  const entries = useQuery(apiQuery("audit", "list", { query: { resource_id: id, limit: max } }));
  return (
    <LoadedCard
      title={t.title}
      query={entries}
      actions={
        <LinkButton kind="quiet" to={`/audit?resource_id=${id}`} needs={["audit", "list"]}>
          {t.all}
        </LinkButton>
      }
    >
      {({ items }) =>
        items.length === 0 ? (
          <p className="quiet">{t.none}</p>
        ) : (
          <ul className="device-lines">
            {items.map((entry) => (
              <li key={entry.id}>
                <div className="grow">
                  <EntryText entry={entry} />
                </div>
                <span className="quiet fine device-when">
                  {entry.actor} · <Ago at={entry.timestamp} />
                </span>
              </li>
            ))}
          </ul>
        )
      }
    </LoadedCard>
  );
}

function EntryText({ entry }: { readonly entry: AuditEntry }) {
  const difference = differenceOf(entry);
  return difference ? <Differences all={[difference]} /> : <p>{entry.action.replaceAll("_", " ")}</p>;
}

/** The changed fields of an entry, if it has any. */
function differenceOf({ resource_type, resource_id, details }: AuditEntry): Difference | undefined {
  const { change, fields, name } = details as Partial<Difference>;
  if (!change || !Array.isArray(fields)) return undefined;
  return { kind: resource_type, id: resource_id, name: name ?? "", change, fields } as Difference;
}
