import type { Tunnel } from "@portcullis/contract/subsystems/tunnels";
import { useDeferredValue, useMemo } from "react";
import { Link } from "wouter";
import { useSearchParam } from "../../ui/search-param.ts";
import { TextField } from "../../ui/form.tsx";
import { Table } from "../../ui/table.tsx";
import { Ago } from "../../ui/time.tsx";
import type { Flows } from "../../components/flows.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { lossOf } from "../../components/tunnels/condition.ts";
import { TunnelState } from "../../components/tunnels/condition.tsx";
import type { Uses } from "./consequences.ts";
import { TunnelButtons } from "./actions.tsx";

interface TableProps {
  readonly tunnels: readonly Tunnel[];
  readonly uses: Uses;
  readonly flows: Flows;
  readonly open: string;
}

/** Many tunnels, one per row. */
export function TunnelTable({ tunnels, uses, flows, open }: TableProps) {
  const { tunnels: t, paths, ui } = useTranslation();
  const format = useFormat();
  const [find, setFind] = useSearchParam("find");
  const wanted = useDeferredValue(find).toLowerCase();
  const rows = useMemo(
    () =>
      tunnels.filter(({ name, interface: link, endpoint }) =>
        [name, link, endpoint ?? ""].some((word) => word.toLowerCase().includes(wanted)),
      ),
    [tunnels, wanted],
  );
  return (
    <>
      <TextField label={t.find} type="search" value={find} onChange={setFind} />
      <p className="quiet fine" role="status">
        {ui.rows(rows.length, tunnels.length)}
      </p>
      <Table
        label={t.list}
        rows={rows}
        rowKey={({ id }) => id}
        current={open}
        columns={[
          {
            key: "name",
            title: t.name,
            width: "2fr",
            cell: ({ id, name, type }) => (
              <div>
                <Link href={`/tunnels?open=${id}`}>{name}</Link>
                <div className="quiet fine">{paths.tunnelKinds[type]}</div>
              </div>
            ),
          },
          { key: "state", title: t.state, width: "10.5rem", cell: (tunnel) => <TunnelState tunnel={tunnel} /> },
          {
            key: "handshake",
            title: t.handshake,
            width: "1.4fr",
            cell: ({ last_handshake }) => (
              <span className="fine">
                <Ago at={last_handshake} />
              </span>
            ),
          },
          {
            key: "rtt",
            title: t.roundTrip,
            right: true,
            width: "1.1fr",
            cell: ({ rtt_ms }) => (
              <span className="fine tunnels-rate">{rtt_ms === null ? "–" : format.ms(rtt_ms)}</span>
            ),
          },
          {
            key: "loss",
            title: t.loss,
            width: "0.8fr",
            right: true,
            cell: (tunnel) => {
              const loss = lossOf(tunnel);
              return <span className="fine tunnels-rate">{loss === null ? "–" : format.percent(loss)}</span>;
            },
          },
          ...(["rx", "tx"] as const).map((direction) => ({
            key: direction,
            title: t[direction],
            width: "1.1fr",
            right: true,
            cell: ({ id }: Tunnel) => {
              const rate = flows.get(id)?.now;
              return <span className="fine tunnels-rate">{rate ? format.rate(rate[direction]) : t.noRate}</span>;
            },
          })),
          {
            key: "uses",
            title: t.policies,
            width: "0.9fr",
            right: true,
            cell: ({ id }) => format.number(uses.get(id)?.length ?? 0),
          },
          {
            key: "act",
            title: ui.more,
            actions: true,
            width: "11rem",
            cell: (tunnel) => <TunnelButtons tunnel={tunnel} />,
          },
        ]}
      />
    </>
  );
}
