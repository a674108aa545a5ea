import type { Setting } from "@portcullis/contract/subsystems/settings";
import { useQuery } from "@tanstack/react-query";
import { useSearchParam } from "../../ui/search-param.ts";
import { Button } from "../../ui/button.tsx";
import { LoadedCard } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { apiQuery } from "../../api/queries.ts";
import { useTranslation } from "../../i18n/i18n.tsx";

/** The bootstrap configuration: read-only here, changed in the file. */
export function FileCard() {
  const { ui, settings: t } = useTranslation();
  const query = useQuery(apiQuery("settings", "list"));
  const [shown, setShown] = useSearchParam("file");
  const columns: Column<Setting>[] = [
    { key: "key", title: t.key, width: "1.5fr", cell: ({ key }) => <code>{key}</code> },
    { key: "value", title: t.value, width: "1.5fr", cell: (it) => <Value {...it} /> },
    { key: "from", title: t.from, width: "0.7fr", cell: ({ source }) => t.sources[source] },
    {
      key: "about",
      title: t.meaning,
      width: "3fr",
      cell: ({ description }) => <span className="quiet fine">{description}</span>,
    },
  ];
  const rows = query.data?.filter(({ writable, key }) => !writable && key !== "node_id") ?? [];
  return (
    <LoadedCard
      title={t.file}
      query={query}
      actions={
        <Button kind="quiet" aria-expanded={shown !== ""} onPress={() => setShown(shown ? "" : "1")}>
          {shown ? ui.close : t.showFile(rows.length)}
        </Button>
      }
    >
      {() => (
        <>
          <p className="quiet">{t.fileText}</p>
          {shown && <Table label={t.file} rows={rows} columns={columns} rowKey={({ key }) => key} />}
        </>
      )}
    </LoadedCard>
  );
}

function Value({ value, is_set, secret }: Setting) {
  const { settings: t } = useTranslation();
  if (!is_set) return <span className="quiet">{t.notSet}</span>;
  if (secret) return <span className="quiet">{t.isSecret}</span>;
  const text = Array.isArray(value) ? value.map(written).join(", ") : written(value);
  return text === "" ? <span className="quiet">{t.empty}</span> : <span className="code">{text}</span>;
}

const written = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
