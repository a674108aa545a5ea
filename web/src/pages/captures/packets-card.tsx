import type { CapturedPacket, CaptureDetail } from "@portcullis/contract/subsystems/captures";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/floating.tsx";
import { CodeBlock } from "../../ui/code.tsx";
import { useHold } from "../../ui/hold.ts";
import { Card, Empty, Loaded } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { gateway } from "../../api/gateway.ts";
import { apiQuery } from "../../api/queries.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";

/** Rows on the page; the file has all packets. */
const shown = 200;

/** Packets of one capture: the newest while it runs, or from any position. */
export function PacketsCard({ id }: { readonly id: string }) {
  const { captures: t } = useTranslation();
  const format = useFormat();
  const hold = useHold();
  /** The packets after this number; undefined: the newest. */
  const [after, setAfter] = useState<number>();
  const [open, setOpen] = useState<number>();
  const query = useQuery({
    queryKey: ["captures", "packets", id, after ?? "newest"],
    queryFn: () => readPackets(id, after),
    placeholderData: (before) => before,
    refetchInterval: ({ state }) =>
      state.data?.state === "running" && after === undefined && hold.reason === undefined ? 1000 : false,
  });
  return (
    <Card title={t.packetsOf(query.data?.interface ?? "")}>
      <Loaded query={query} lines={8}>
        {(capture) => (
          <>
            <Notes capture={capture} />
            <div className="row">
              <Range capture={capture} onMove={setAfter} isNewest={after === undefined} />
              <span className="quiet" role="status">
                {t.counted(format.number(capture.packets))}
              </span>
            </div>
            {capture.summaries.length === 0 ? (
              <Empty text={t.noPackets} />
            ) : (
              // The listeners only detect hover and focus: every control inside has its own.
              <div {...hold.listeners}>
                <Packets rows={capture.summaries} onOpen={setOpen} />
              </div>
            )}
          </>
        )}
      </Loaded>
      {open !== undefined && <PacketDialog id={id} number={open} onClose={() => setOpen(undefined)} />}
    </Card>
  );
}

async function readPackets(id: string, after: number | undefined): Promise<CaptureDetail> {
  const get = (from: number, limit: number) => gateway.captures.get({ params: { id }, query: { after: from, limit } });
  if (after !== undefined) return get(after, shown);
  const { packets } = await get(0, 0);
  return get(Math.max(0, packets - shown), shown);
}

function Notes({ capture: { mixed, withheld, dropped } }: { readonly capture: CaptureDetail }) {
  const { captures: t } = useTranslation();
  const format = useFormat();
  const notes = [
    mixed && t.mixed,
    withheld > 0 && t.withheld(format.number(withheld)),
    (dropped ?? 0) > 0 && t.dropped(format.number(dropped ?? 0)),
  ].filter((it) => it !== false);
  return notes.map((text) => (
    <p key={text} className="captures-note">
      {text}
    </p>
  ));
}

interface RangeProps {
  readonly capture: CaptureDetail;
  readonly isNewest: boolean;
  readonly onMove: (after: number | undefined) => void;
}

function Range({ capture: { summaries, packets }, isNewest, onMove }: RangeProps) {
  const { captures: t } = useTranslation();
  const [first, last] = [summaries[0]?.number ?? 1, summaries.at(-1)?.number ?? 0];
  return (
    <>
      <Button disabled={first <= 1} onPress={() => onMove(Math.max(0, first - 1 - shown))}>
        {t.earlier}
      </Button>
      <Button disabled={last >= packets} onPress={() => onMove(last)}>
        {t.later}
      </Button>
      <Button disabled={isNewest} onPress={() => onMove(undefined)}>
        {t.newest}
      </Button>
    </>
  );
}

function Packets({
  rows,
  onOpen,
}: {
  readonly rows: readonly CapturedPacket[];
  readonly onOpen: (number: number) => void;
}) {
  const { captures: t } = useTranslation();
  const format = useFormat();
  const columns: readonly Column<CapturedPacket>[] = [
    {
      key: "number",
      title: t.number,
      width: "4.5rem",
      cell: ({ number }) => (
        <button type="button" className="captures-open" aria-label={t.detailsOf(number)} onClick={() => onOpen(number)}>
          {number}
        </button>
      ),
    },
    {
      key: "time",
      title: t.time,
      width: "6rem",
      cell: ({ timestamp }) => (
        <time dateTime={timestamp} title={timestamp}>
          {format.clock(new Date(timestamp))}
        </time>
      ),
    },
    { key: "source", title: t.source, width: "2fr", cell: (it) => ended(it.source, it.source_port) },
    {
      key: "destination",
      title: t.destination,
      width: "2fr",
      cell: (it) => ended(it.destination, it.destination_port),
    },
    { key: "protocol", title: t.protocol, width: "6rem", cell: ({ protocol }) => protocol },
    { key: "length", title: t.length, width: "5rem", right: true, cell: ({ length }) => format.number(length) },
    {
      key: "info",
      title: t.info,
      width: "3fr",
      minWidth: "8rem",
      cell: ({ info }) => <span className="wrap">{info}</span>,
    },
  ];
  return <Table label={t.packetsTable} rows={rows} columns={columns} rowKey={({ number }) => String(number)} />;
}

const ended = (address: string | null, port: number | null): string =>
  address === null ? "" : port === null ? address : `${address.includes(":") ? `[${address}]` : address}:${port}`;

interface PacketDialogProps {
  readonly id: string;
  readonly number: number;
  readonly onClose: () => void;
}

/** A packet does not change: it is dissected once. */
function PacketDialog({ id, number, onClose }: PacketDialogProps) {
  const { captures: t } = useTranslation();
  const query = useQuery({
    ...apiQuery("captures", "packet", { params: { id, number } }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  return (
    <Dialog open onClose={onClose} title={t.detailsOf(number)} needs={["captures", "packet"]}>
      <Loaded query={query} lines={10}>
        {(text) => <CodeBlock text={text} label={t.detailsOf(number)} />}
      </Loaded>
    </Dialog>
  );
}
