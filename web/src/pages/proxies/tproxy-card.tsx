import type { TproxyStatus } from "@portcullis/contract/subsystems/proxies";
import { useQuery } from "@tanstack/react-query";
import { LoadedCard } from "../../ui/page.tsx";
import { State } from "../../ui/state.tsx";
import { Table } from "../../ui/table.tsx";
import { reading } from "../../api/reading.ts";
import { useFormat, useWords } from "../../i18n/i18n.tsx";
import { ProxyState } from "./proxy-table.tsx";

/** Connections that the gateway redirects to upstream proxies, transparently for devices. */
export function TproxyCard() {
  const say = useWords().proxies;
  const status = useQuery({ ...reading("tproxy", "status"), refetchInterval: 5000 });
  return (
    <LoadedCard title={say.redirecting} query={status}>
      {(shown) =>
        shown.redirectors.length === 0 ? (
          <p className="quiet">{say.noRedirectors}</p>
        ) : (
          <>
            <p className="row">
              <State
                state={shown.running ? "protected" : "unknown"}
                text={shown.running ? say.allRun : say.notAllRun}
              />
              <span className={shown.udp === "blocked" ? "quiet" : "proxies-open"}>{say.uncarried[shown.udp]}</span>
            </p>
            <Redirectors all={shown.redirectors} />
          </>
        )
      }
    </LoadedCard>
  );
}

function Redirectors({ all }: { readonly all: TproxyStatus["redirectors"] }) {
  const say = useWords().proxies;
  const format = useFormat();
  return (
    <Table
      label={say.redirecting}
      rows={all}
      rowKey={({ proxy_id, port }) => `${proxy_id} ${port}`}
      columns={[
        { key: "chain", title: say.chain, width: "2fr", cell: ({ chain, name }) => chain.join(" → ") || name },
        { key: "state", title: say.state, width: "1.4fr", cell: ({ status }) => <ProxyState status={status} /> },
        { key: "port", title: say.port, width: "0.7fr", right: true, cell: ({ port }) => port },
        {
          key: "connections",
          title: say.connections,
          right: true,
          cell: ({ connections }) => format.number(connections),
        },
        {
          key: "bytes",
          title: say.bytes,
          width: "1.6fr",
          cell: ({ rx, tx }) => <span className="fine">{say.traffic(format.bytes(rx), format.bytes(tx))}</span>,
        },
        { key: "udp", title: say.notTcp, cell: ({ udp }) => say.udp[udp] },
      ]}
    />
  );
}
