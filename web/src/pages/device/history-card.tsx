import type { AuditEntry } from "@portcullis/contract/subsystems/records";
import type { Difference } from "@portcullis/contract/subsystems/history";
import { useQuery } from "@tanstack/react-query";
import { LinkButton } from "../../ui/button.tsx";
import { LoadedCard } from "../../ui/page.tsx";
import { Ago } from "../../ui/time.tsx";
import { reading } from "../../api/reading.ts";
import { Differences } from "../../components/differences.tsx";
import { useWords } from "../../i18n/i18n.tsx";

const most = 20;

/** Audit entries of this device, newest first. */
export function HistoryCard({ id }: { readonly id: string }) {
  const say = useWords().device.history;
  const entries = useQuery(reading("audit", "list", { query: { resource_id: id, limit: most } }));
  return (
    <LoadedCard
      title={say.title}
      query={entries}
      actions={
        <LinkButton kind="quiet" to={`/audit?resource_id=${id}`} needs={["audit", "list"]}>
          {say.all}
        </LinkButton>
      }
    >
      {({ items }) =>
        items.length === 0 ? (
          <p className="quiet">{say.none}</p>
        ) : (
          <ul className="device-lines">
            {items.map((entry) => (
              <li key={entry.id}>
                <div className="grow">
                  <Told entry={entry} />
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

function Told({ entry }: { readonly entry: AuditEntry }) {
  const difference = differenceOf(entry);
  return difference ? <Differences all={[difference]} /> : <p>{entry.action.replaceAll("_", " ")}</p>;
}

/** The changed fields of an entry, if it has any. */
function differenceOf({ resource_type, resource_id, details }: AuditEntry): Difference | undefined {
  const { change, fields, name } = details as Partial<Difference>;
  if (!change || !Array.isArray(fields)) return undefined;
  return { kind: resource_type, id: resource_id, name: name ?? "", change, fields } as Difference;
}
