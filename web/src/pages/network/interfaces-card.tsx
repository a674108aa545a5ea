import type { NetworkInterface } from "@portcullis/contract/subsystems/interfaces";
import type { Tunnel } from "@portcullis/contract/subsystems/tunnels";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useSearchParam } from "../../ui/search-param.ts";
import { Button } from "../../ui/button.tsx";
import { LoadedCard } from "../../ui/page.tsx";
import { Sparkline } from "../../ui/sparkline.tsx";
import { State } from "../../ui/state.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { allRows, apiQuery } from "../../api/queries.ts";
import { useMay } from "../../api/session.tsx";
import { countedAs, type Flow, type Flows, useFlows } from "../../components/flows.ts";
import { TunnelState } from "../../components/tunnels/condition.tsx";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";

const everyMs = 2000;

/** Interfaces of the machine with their role and current rate. */
export function InterfacesCard() {
  const { network: t } = useTranslation();
  const query = useQuery({ ...apiQuery("interfaces", "list"), refetchInterval: everyMs });
  const [all, setAll] = useSearchParam("all");
  const flows = useFlows(
    query.data?.map((it) => countedAs(it.name, it)),
    query.dataUpdatedAt,
  );
  const unused = query.data?.filter(({ role }) => role === "unused").length ?? 0;
  return (
    <LoadedCard
      title={t.interfaces}
      query={query}
      actions={
        unused > 0 && (
          <Button kind="quiet" onPress={() => setAll(all ? "" : "1")}>
            {all ? t.hideUnused : t.showUnused(unused)}
          </Button>
        )
      }
    >
      {(interfaces) => <InterfaceTable rows={all ? interfaces : interfaces.filter(isUsed)} flows={flows} />}
    </LoadedCard>
  );
}

const isUsed = ({ role }: NetworkInterface): boolean => role !== "unused";

type Tunnels = ReadonlyMap<string, Tunnel> | undefined;

/** Tunnels by the name of their interface. */
function useTunnels(): Tunnels {
  const may = useMay();
  const all = useQuery({
    ...allRows("tunnels", "list"),
    enabled: may(["tunnels", "list"]),
    refetchInterval: 5000,
  }).data;
  return useMemo(() => all && new Map(all.map((it) => [it.interface, it])), [all]);
}

interface TableProps {
  readonly rows: readonly NetworkInterface[];
  readonly flows: Flows;
}

function InterfaceTable({ rows, flows }: TableProps) {
  const { network: t } = useTranslation();
  const format = useFormat();
  const tunnels = useTunnels();
  if (rows.length === 0) return <p className="quiet">{t.noInterfaces}</p>;
  const columns: Column<NetworkInterface>[] = [
    {
      key: "name",
      title: t.link,
      width: "1.6fr",
      cell: ({ name, kind, parent, master }) => (
        <span>
          <span className="strong">{tunnels?.get(name)?.name ?? name}</span>{" "}
          <span className="quiet fine">
            {tunnels?.has(name) && <span className="code">{name} </span>}
            {t.kinds[kind]} {master !== null ? t.portOf(master) : parent !== null ? t.onInterface(parent) : ""}
          </span>
        </span>
      ),
    },
    { key: "role", title: t.role, cell: ({ role }) => t.links[role] },
    { key: "state", title: t.state, width: "10rem", cell: (it) => <LinkState link={it} tunnels={tunnels} /> },
    {
      key: "addresses",
      title: t.addresses,
      width: "2.2fr",
      cell: ({ addresses }) =>
        addresses.length > 0 && (
          <span>
            {addresses.map((it) => (
              <span key={it} className="code">
                {it}
                <br />
              </span>
            ))}
          </span>
        ),
    },
    {
      key: "gateway",
      title: t.gateway,
      cell: ({ default_gateway_v4: v4, default_gateway_v6: v6 }) =>
        (v4 ?? v6) !== null && <span className="code">{[v4, v6].filter(Boolean).join(" ")}</span>,
    },
    {
      key: "speed",
      title: t.speed,
      width: "0.8fr",
      cell: ({ speed_mbps }) => speed_mbps !== null && t.mbps(format.number(speed_mbps)),
    },
    {
      key: "traffic",
      title: t.traffic,
      width: "9rem",
      cell: ({ name, rx_dropped, tx_dropped }) => <Traffic flow={flows.get(name)} dropped={rx_dropped + tx_dropped} />,
    },
  ];
  return <Table label={t.interfaces} rows={rows} columns={columns} rowKey={({ name }) => name} />;
}

/** A tunnel interface always exists: whether anything passes is the tunnel's state. */
function LinkState({ link, tunnels }: { readonly link: NetworkInterface; readonly tunnels: Tunnels }) {
  const { network: t } = useTranslation();
  const { name, up, carrier, role } = link;
  const tunnel = tunnels?.get(name);
  if (tunnel) return <TunnelState tunnel={tunnel} />;
  if (role === "tunnel") return <State state="unknown" />;
  if (!up) return <State state="unknown" text={t.switchedOff} />;
  return carrier ? <State state="protected" text={t.plugged} /> : <State state="blocked" text={t.unplugged} />;
}

const drawn = 60;

function Traffic({ flow, dropped }: { readonly flow: Flow | undefined; readonly dropped: number }) {
  const { network: t } = useTranslation();
  const format = useFormat();
  const rates = flow?.rates.slice(-drawn) ?? [];
  const rate = flow?.now;
  if (!rate) return dropped > 0 ? <span className="quiet fine">{t.dropped(format.number(dropped))}</span> : null;
  const [incoming, outgoing] = [format.rate(rate.rx), format.rate(rate.tx)];
  return (
    <span className="network-rate fine">
      <Sparkline points={rates.map(({ rx, tx }) => rx + tx)} text={t.rate(incoming, outgoing)} />
      <span aria-hidden="true">
        {incoming} {t.incoming}
        <br />
        {outgoing} {t.outgoing}
        {dropped > 0 && (
          <span className="quiet">
            <br />
            {t.dropped(format.number(dropped))}
          </span>
        )}
      </span>
    </span>
  );
}
