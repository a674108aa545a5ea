import type { Setting } from "@portcullis/contract/subsystems/settings";
import { useQuery } from "@tanstack/react-query";
import { useAddress } from "../../ui/address.ts";
import { Button } from "../../ui/button.tsx";
import { LoadedCard } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { reading } from "../../api/reading.ts";
import { useWords } from "../../i18n/i18n.tsx";

/** The bootstrap configuration: read-only here, changed in the file. */
export function FileCard() {
  const { kit, settings: say } = useWords();
  const query = useQuery(reading("settings", "list"));
  const [shown, setShown] = useAddress("file");
  const columns: Column<Setting>[] = [
    { key: "key", title: say.key, width: "1.5fr", cell: ({ key }) => <code>{key}</code> },
    { key: "value", title: say.value, width: "1.5fr", cell: (it) => <Value {...it} /> },
    { key: "from", title: say.from, width: "0.7fr", cell: ({ source }) => say.sources[source] },
    {
      key: "about",
      title: say.meaning,
      width: "3fr",
      cell: ({ description }) => <span className="quiet fine">{description}</span>,
    },
  ];
  const rows = query.data?.filter(({ writable, key }) => !writable && key !== "node_id") ?? [];
  return (
    <LoadedCard
      title={say.file}
      query={query}
      actions={
        <Button kind="quiet" aria-expanded={shown !== ""} onPress={() => setShown(shown ? "" : "1")}>
          {shown ? kit.close : say.showFile(rows.length)}
        </Button>
      }
    >
      {() => (
        <>
          <p className="quiet">{say.fileSays}</p>
          {shown && <Table label={say.file} rows={rows} columns={columns} rowKey={({ key }) => key} />}
        </>
      )}
    </LoadedCard>
  );
}

function Value({ value, is_set, secret }: Setting) {
  const { settings: say } = useWords();
  if (!is_set) return <span className="quiet">{say.notSet}</span>;
  if (secret) return <span className="quiet">{say.isSecret}</span>;
  const text = Array.isArray(value) ? value.map(written).join(", ") : written(value);
  return text === "" ? <span className="quiet">{say.empty}</span> : <span className="code">{text}</span>;
}

const written = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
