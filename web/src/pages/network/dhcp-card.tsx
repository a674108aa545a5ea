import type { Dhcp, DhcpLease } from "@portcullis/contract/subsystems/dhcp";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { apiQuery, useAction } from "../../api/queries.ts";
import { useMay } from "../../api/session.tsx";
import { DeviceLink } from "../../components/device-link.tsx";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { useReason } from "../../i18n/reason.ts";
import { Button } from "../../ui/button.tsx";
import { StopDialog } from "../../ui/floating.tsx";
import { Empty, LoadedCard } from "../../ui/page.tsx";
import { useSearchParam } from "../../ui/search-param.ts";
import { State, type StateName } from "../../ui/state.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { bodyOf, DhcpDialog, type Range } from "./dhcp-dialog.tsx";

const everyMs = 5000;
/** The dialog for a new range, by its address; followed by an interface, that of an existing one. */
const addAction = "dhcp";

/** Ranges of the DHCP server, and the leases of devices. */
export function DhcpCard() {
  const { dhcp: t } = useTranslation();
  const query = useQuery({ ...apiQuery("dhcp", "get"), refetchInterval: everyMs });
  const [action, setAction] = useSearchParam("do");
  const [removed, setRemoved] = useState<Range>();
  const ranges = query.data?.ranges ?? [];
  const edited = ranges.find((it) => action === `${addAction}:${it.interface}`);
  return (
    <LoadedCard
      title={t.title}
      query={query}
      actions={
        <Button icon="add" needs={["dhcp", "put"]} onPress={() => setAction(addAction)}>
          {t.add}
        </Button>
      }
    >
      {() => (
        <>
          {ranges.length === 0 ? (
            <Empty text={t.none} />
          ) : (
            <>
              <RangeTable
                ranges={ranges}
                onEdit={(it) => setAction(`${addAction}:${it.interface}`)}
                onRemove={setRemoved}
              />
              <Leases />
            </>
          )}
          {(edited || action === addAction) && (
            <DhcpDialog ranges={ranges} edited={edited} onClose={() => setAction("")} />
          )}
          {removed && <RemoveDialog ranges={ranges} removed={removed} onClose={() => setRemoved(undefined)} />}
        </>
      )}
    </LoadedCard>
  );
}

const stateOf: Readonly<Record<Range["status"], StateName>> = {
  serving: "protected",
  starting: "unknown",
  failed: "blocked",
  off: "unknown",
};

interface RangeTableProps {
  readonly ranges: Dhcp["ranges"];
  readonly onEdit: (range: Range) => void;
  readonly onRemove: (range: Range) => void;
}

function RangeTable({ ranges, onEdit, onRemove }: RangeTableProps) {
  const { dhcp: t } = useTranslation();
  const format = useFormat();
  const why = useReason();
  const changes = useMay()(["dhcp", "put"]);
  const columns: Column<Range>[] = [
    { key: "interface", title: t.interface, cell: (it) => <span className="strong">{it.interface}</span> },
    { key: "range", title: t.range, width: "1.6fr", cell: (it) => `${it.first} – ${it.last}` },
    {
      key: "state",
      title: t.state,
      width: "2fr",
      cell: (range) => (
        <span>
          <State state={stateOf[range.status]} text={t.statuses[range.status]} />
          {range.reason !== "" && <span className="quiet fine"> {why.line(range)}</span>}
        </span>
      ),
    },
    { key: "gateway", title: t.gateway, cell: ({ gateway }) => gateway ?? "–" },
    {
      key: "reservations",
      title: t.reservations,
      right: true,
      width: "0.8fr",
      cell: ({ reservations }) => <span title={t.fixedHint}>{format.number(reservations)}</span>,
    },
    {
      key: "actions",
      title: t.title,
      actions: true,
      width: changes ? "6rem" : "0",
      cell: (range) =>
        changes && (
          <span className="row">
            <Button kind="bare" icon="edit" label={t.edit(range.interface)} onPress={() => onEdit(range)} />
            <Button kind="bare" icon="remove" label={t.remove(range.interface)} onPress={() => onRemove(range)} />
          </span>
        ),
    },
  ];
  return <Table label={t.title} rows={ranges} columns={columns} rowKey={(it) => it.interface} />;
}

function Leases() {
  const { dhcp: t } = useTranslation();
  const format = useFormat();
  const query = useQuery({ ...apiQuery("dhcp", "leases"), refetchInterval: everyMs });
  const columns: Column<DhcpLease>[] = [
    {
      key: "address",
      title: t.address,
      cell: ({ address, reserved }) => (
        <span>
          {address} {reserved && <span className="tag">{t.fixed}</span>}
        </span>
      ),
    },
    {
      key: "device",
      title: t.device,
      width: "2fr",
      cell: ({ device_id, device_name, hostname, mac }) => (
        <span>
          <DeviceLink id={device_id} name={device_name ?? hostname ?? t.unknown} />{" "}
          <span className="quiet fine">{mac}</span>
        </span>
      ),
    },
    { key: "interface", title: t.interface, cell: (it) => it.interface ?? "–" },
    { key: "expires", title: t.expires, cell: ({ expires_at }) => format.exact(new Date(expires_at)) },
  ];
  return (
    <LoadedCard title={t.leases} query={query}>
      {(leases) =>
        leases.length === 0 ? (
          <Empty text={t.noLeases} />
        ) : (
          <Table label={t.leases} rows={leases} columns={columns} rowKey={({ address }) => address} />
        )
      }
    </LoadedCard>
  );
}

interface RemoveProps {
  readonly ranges: Dhcp["ranges"];
  readonly removed: Range;
  readonly onClose: () => void;
}

function RemoveDialog({ ranges, removed, onClose }: RemoveProps) {
  const { dhcp: t } = useTranslation();
  const toast = useToast();
  const put = useAction("dhcp", "put", { invalidates: ["status"] });
  return (
    <StopDialog
      open
      onClose={onClose}
      title={t.remove(removed.interface)}
      action={t.remove(removed.interface)}
      text={<p>{t.removeText(removed.interface)}</p>}
      act={async () => {
        await put.mutateAsync({ body: bodyOf(ranges.filter((it) => it.interface !== removed.interface)) });
        toast.done(t.removed, () => put.mutate({ body: bodyOf(ranges) }, { onError: toast.failed }));
      }}
    />
  );
}
