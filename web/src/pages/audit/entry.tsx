import type { AuditEntry } from "@portcullis/contract/subsystems/records";
import { memo } from "react";
import { LinkButton } from "../../ui/button.tsx";
import { Facts } from "../../ui/facts.tsx";
import { FieldChanges } from "../../components/differences.tsx";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { parseEntry, fieldsOf, linkOf, remarksOf } from "./parsed-entry.ts";

/** A sentence with its time; the fields before and after under it. */
export const Entry = memo(function Entry({ entry }: { readonly entry: AuditEntry }) {
  const { audit: t } = useTranslation();
  const format = useFormat();
  const at = new Date(entry.timestamp);
  const sentence = t.sentence(parseEntry(entry));
  const index = linkOf(entry);
  return (
    <div className="audit-entry">
      <time className="quiet fine" dateTime={entry.timestamp} title={format.exact(at)}>
        {format.clock(at)}
      </time>
      {hasDetails(entry) ? (
        <details>
          <summary>{sentence}</summary>
          <Details {...entry} />
        </details>
      ) : (
        <span className="wrap">{sentence}</span>
      )}
      {index !== undefined && (
        <LinkButton kind="quiet" to={index} label={`${t.look}: ${sentence}`}>
          {t.look}
        </LinkButton>
      )}
    </div>
  );
});

const hasDetails = ({ details }: AuditEntry): boolean =>
  fieldsOf(details).length > 0 || remarksOf(details).length > 0 || details["also_changed"] !== undefined;

function Details({ details }: AuditEntry) {
  const { audit: t } = useTranslation();
  const [fields, remarks, along] = [fieldsOf(details), remarksOf(details), Number(details["also_changed"] ?? 0)];
  return (
    <div className="stack tight audit-details">
      {fields.length > 0 && <FieldChanges fields={fields} />}
      {remarks.length > 0 && (
        <Facts
          all={remarks.map(
            ([name, value]) => [name.replaceAll("_", " "), <span className="code">{written(value)}</span>] as const,
          )}
        />
      )}
      {along > 0 && <p className="quiet fine">{t.along(along)}</p>}
    </div>
  );
}

const written = (value: unknown): string =>
  Array.isArray(value)
    ? value.map(written).join(", ")
    : typeof value === "string"
      ? value
      : (JSON.stringify(value) ?? "");
