import type { TproxyStatus } from "@portcullis/contract/subsystems/proxies";
import { useQuery } from "@tanstack/react-query";
import { LoadedCard } from "../../ui/page.tsx";
import { State } from "../../ui/state.tsx";
import { Table } from "../../ui/table.tsx";
import { apiQuery } from "../../api/queries.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { ProxyState } from "./proxy-table.tsx";

/** Connections that the gateway redirects to upstream proxies, transparently for devices. */
export function TproxyCard() {
  const t = useTranslation().proxies;
  const status = useQuery({ ...apiQuery("tproxy", "status"), refetchInterval: 5000 });
  return (
    <LoadedCard title={t.redirecting} query={status}>
      {(shown) =>
        shown.redirectors.length === 0 ? (
          <p className="quiet">{t.noRedirectors}</p>
        ) : (
          <>
            <p className="row">
              <State state={shown.running ? "protected" : "unknown"} text={shown.running ? t.allRun : t.notAllRun} />
              <span className={shown.udp === "blocked" ? "quiet" : "proxies-open"}>{t.unsupported[shown.udp]}</span>
            </p>
            <Redirectors all={shown.redirectors} />
          </>
        )
      }
    </LoadedCard>
  );
}

function Redirectors({ all }: { readonly all: TproxyStatus["redirectors"] }) {
  const t = useTranslation().proxies;
  const format = useFormat();
  return (
    <Table
      label={t.redirecting}
      rows={all}
      rowKey={({ proxy_id, port }) => `${proxy_id} ${port}`}
      columns={[
        { key: "chain", title: t.chain, width: "2fr", cell: ({ chain, name }) => chain.join(" → ") || name },
        { key: "state", title: t.state, width: "1.4fr", cell: ({ status }) => <ProxyState status={status} /> },
        { key: "port", title: t.port, width: "0.7fr", right: true, cell: ({ port }) => port },
        {
          key: "connections",
          title: t.connections,
          right: true,
          cell: ({ connections }) => format.number(connections),
        },
        {
          key: "bytes",
          title: t.bytes,
          width: "1.6fr",
          cell: ({ rx, tx }) => <span className="fine">{t.traffic(format.bytes(rx), format.bytes(tx))}</span>,
        },
        { key: "udp", title: t.notTcp, cell: ({ udp }) => t.udp[udp] },
      ]}
    />
  );
}
