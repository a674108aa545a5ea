import type { Proxy } from "@portcullis/contract/subsystems/proxies";
import { Link } from "wouter";
import { Button } from "../../ui/button.tsx";
import { Menu } from "../../ui/floating.tsx";
import { State, type StateName } from "../../ui/state.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { useFormat, useWords } from "../../i18n/i18n.tsx";

export interface ProxyDeeds {
  readonly turn: (proxy: Proxy) => void;
  readonly edit: (proxy: Proxy) => void;
  readonly remove: (proxy: Proxy) => void;
  readonly busyWith: string | undefined;
}

interface TableProps {
  readonly kind: Proxy["kind"];
  readonly rows: readonly Proxy[];
  /** Id → name. */
  readonly tunnels: ReadonlyMap<string, string>;
  readonly deeds: ProxyDeeds;
  readonly open: string;
}

export function ProxyTable({ kind, rows, tunnels, deeds, open }: TableProps) {
  const { proxies: say, kit } = useWords();
  const format = useFormat();
  const leaving: Column<Proxy> = {
    key: "tunnel",
    title: say.tunnel,
    width: "1.2fr",
    cell: ({ tunnel_id }) =>
      tunnel_id === null ? (
        <State state="direct" />
      ) : (
        <Link href={`/tunnels?open=${tunnel_id}`}>{tunnels.get(tunnel_id) ?? say.unknownTunnel}</Link>
      ),
  };
  return (
    <Table
      label={say.kinds[kind]}
      rows={rows}
      rowKey={({ id }) => id}
      current={open}
      columns={[
        { key: "name", title: say.name, width: "1.4fr", cell: ({ name }) => <span className="strong">{name}</span> },
        {
          key: "place",
          title: kind === "local" ? say.listen : say.address,
          width: "1.5fr",
          cell: ({ listen, address, username }) => (
            <div>
              <span className="code">{listen ?? address}</span>
              {username !== null && <div className="quiet fine">{say.asUser(username)}</div>}
            </div>
          ),
        },
        {
          key: "state",
          title: say.state,
          width: "1.6fr",
          cell: (proxy) => (
            <div>
              <ProxyState {...proxy} />
              {proxy.reason && <div className="quiet fine">{say.reason(proxy.reason)}</div>}
            </div>
          ),
        },
        ...(kind === "local" ? [leaving] : []),
        {
          key: "connections",
          title: say.connections,
          width: "7rem",
          right: true,
          cell: ({ connections }) => format.number(connections),
        },
        {
          key: "bytes",
          title: say.bytes,
          width: "1.2fr",
          cell: ({ rx, tx }) => <span className="fine">{say.traffic(format.bytes(rx), format.bytes(tx))}</span>,
        },
        {
          key: "act",
          title: kit.more,
          actions: true,
          width: "11rem",
          cell: (proxy) => <ProxyButtons proxy={proxy} deeds={deeds} />,
        },
      ]}
    />
  );
}

function ProxyButtons({ proxy, deeds }: { readonly proxy: Proxy; readonly deeds: ProxyDeeds }) {
  const { proxies: say, kit } = useWords();
  return (
    <div className="row proxies-buttons">
      <Button needs={["proxies", "update"]} busy={deeds.busyWith === proxy.id} onPress={() => deeds.turn(proxy)}>
        {proxy.enabled ? say.switchOff : say.switchOn}
      </Button>
      <Menu
        label={kit.actionsFor(proxy.name)}
        items={[
          { label: kit.edit, icon: "edit", needs: ["proxies", "update"], onPress: () => deeds.edit(proxy) },
          {
            label: kit.remove,
            icon: "remove",
            danger: true,
            needs: ["proxies", "remove"],
            onPress: () => deeds.remove(proxy),
          },
        ]}
      />
    </div>
  );
}

/** A proxy that is up forwards; one that is off or does not respond blocks. */
export function ProxyState({ status, enabled = true }: Pick<Proxy, "status"> & { readonly enabled?: boolean }) {
  const say = useWords().proxies;
  const states: Record<Proxy["status"], StateName> = {
    up: "protected",
    down: enabled ? "unknown" : "blocked",
    failed: "blocked",
  };
  return <State state={states[status]} text={status === "down" && !enabled ? say.off : say.statuses[status]} />;
}
