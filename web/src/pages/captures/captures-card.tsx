import type { Capture } from "@portcullis/contract/subsystems/captures";
import { useQuery } from "@tanstack/react-query";
import { Button, FileLink } from "../../ui/button.tsx";
import { Card, Empty, Loaded } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Ago } from "../../ui/time.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { apiQuery, useAction } from "../../api/queries.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";

interface Props {
  readonly current: string;
  readonly onOpen: (id: string) => void;
}

/** Running and retained captures, newest first. */
export function CapturesCard({ current, onOpen }: Props) {
  const { captures: t } = useTranslation();
  const query = useQuery({
    ...apiQuery("captures", "list"),
    refetchInterval: ({ state }) => (state.data?.some((it) => it.state === "running") ? 2000 : false),
  });
  return (
    <Card title={t.title}>
      <Loaded query={query}>
        {(rows) =>
          rows.length === 0 ? <Empty text={t.none} /> : <Rows rows={rows} current={current} onOpen={onOpen} />
        }
      </Loaded>
    </Card>
  );
}

function Rows({ rows, current, onOpen }: Props & { readonly rows: readonly Capture[] }) {
  const { captures: t } = useTranslation();
  const format = useFormat();
  const columns: readonly Column<Capture>[] = [
    {
      key: "interface",
      title: t.interface,
      minWidth: "6rem",
      cell: ({ id, interface: name }) => (
        <button type="button" className="captures-open" onClick={() => onOpen(id)}>
          {name}
        </button>
      ),
    },
    {
      key: "filter",
      title: t.filter,
      width: "3fr",
      minWidth: "8rem",
      cell: ({ filter }) => (filter === "" ? t.allPackets : <code className="wrap">{filter}</code>),
    },
    { key: "state", title: t.state, minWidth: "9rem", cell: (row) => stateOf(row, t) },
    { key: "packets", title: t.packets, width: "6rem", right: true, cell: ({ packets }) => format.number(packets) },
    { key: "size", title: t.size, width: "6rem", right: true, cell: ({ bytes }) => format.bytes(bytes) },
    { key: "started", title: t.started, width: "8rem", cell: ({ started_at }) => <Ago at={started_at} /> },
    { key: "actions", title: t.actions, width: "10rem", cell: (row) => <Actions capture={row} /> },
  ];
  return <Table label={t.title} rows={rows} columns={columns} rowKey={({ id }) => id} current={current} />;
}

type Texts = ReturnType<typeof useTranslation>["captures"];
const stateOf = ({ end_reason, failure }: Capture, t: Texts): string =>
  end_reason === null ? t.running : `${t.ends[end_reason]}${failure === null ? "" : `: ${failure}`}`;

function Actions({ capture: { id, state } }: { readonly capture: Capture }) {
  const { captures: t } = useTranslation();
  const toast = useToast();
  const stop = useAction("captures", "stop", { onDone: () => toast.done(t.stopped) });
  return (
    <span className="row">
      {state === "running" && (
        <Button
          needs={["captures", "stop"]}
          busy={stop.isPending}
          onPress={() => stop.mutate({ params: { id } }, { onError: (problem) => toast.failed(problem) })}
        >
          {t.stop}
        </Button>
      )}
      <FileLink needs={["captures", "download"]} path={`/diagnostics/capture/${id}/download`}>
        {t.download}
      </FileLink>
    </span>
  );
}
