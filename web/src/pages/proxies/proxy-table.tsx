import type { Proxy } from "@portcullis/contract/subsystems/proxies";
import { Link } from "wouter";
import { Button } from "../../ui/button.tsx";
import { Menu } from "../../ui/floating.tsx";
import { State, type StateName } from "../../ui/state.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { useReason } from "../../i18n/reason.ts";

export interface ProxyActions {
  readonly toggle: (proxy: Proxy) => void;
  readonly edit: (proxy: Proxy) => void;
  readonly remove: (proxy: Proxy) => void;
  readonly busyWith: string | undefined;
}

interface TableProps {
  readonly kind: Proxy["kind"];
  readonly rows: readonly Proxy[];
  /** Id → name. */
  readonly tunnels: ReadonlyMap<string, string>;
  readonly actions: ProxyActions;
  readonly open: string;
}

export function ProxyTable({ kind, rows, tunnels, actions, open }: TableProps) {
  const { proxies: t, ui } = useTranslation();
  const format = useFormat();
  const why = useReason();
  const leaving: Column<Proxy> = {
    key: "tunnel",
    title: t.tunnel,
    width: "1.2fr",
    cell: ({ tunnel_id }) =>
      tunnel_id === null ? (
        <State state="direct" />
      ) : (
        <Link href={`/tunnels?open=${tunnel_id}`}>{tunnels.get(tunnel_id) ?? t.unknownTunnel}</Link>
      ),
  };
  return (
    <Table
      label={t.kinds[kind]}
      rows={rows}
      rowKey={({ id }) => id}
      current={open}
      columns={[
        { key: "name", title: t.name, width: "1.4fr", cell: ({ name }) => <span className="strong">{name}</span> },
        {
          key: "place",
          title: kind === "local" ? t.listen : t.address,
          width: "1.5fr",
          cell: ({ listen, address, username }) => (
            <div>
              <span className="code">{listen ?? address}</span>
              {username !== null && <div className="quiet fine">{t.asUser(username)}</div>}
            </div>
          ),
        },
        {
          key: "state",
          title: t.state,
          width: "1.6fr",
          cell: (proxy) => (
            <div>
              <ProxyState {...proxy} />
              <div className="quiet fine">{why.sentence(proxy)}</div>
            </div>
          ),
        },
        ...(kind === "local" ? [leaving] : []),
        {
          key: "connections",
          title: t.connections,
          width: "7rem",
          right: true,
          cell: ({ connections }) => format.number(connections),
        },
        {
          key: "bytes",
          title: t.bytes,
          width: "1.2fr",
          cell: ({ rx, tx }) => <span className="fine">{t.traffic(format.bytes(rx), format.bytes(tx))}</span>,
        },
        {
          key: "act",
          title: ui.more,
          actions: true,
          width: "11rem",
          cell: (proxy) => <ProxyButtons proxy={proxy} actions={actions} />,
        },
      ]}
    />
  );
}

function ProxyButtons({ proxy, actions }: { readonly proxy: Proxy; readonly actions: ProxyActions }) {
  const { proxies: t, ui } = useTranslation();
  return (
    <div className="row proxies-buttons">
      <Button needs={["proxies", "update"]} busy={actions.busyWith === proxy.id} onPress={() => actions.toggle(proxy)}>
        {proxy.enabled ? t.switchOff : t.switchOn}
      </Button>
      <Menu
        label={ui.actionsFor(proxy.name)}
        items={[
          { label: ui.edit, icon: "edit", needs: ["proxies", "update"], onPress: () => actions.edit(proxy) },
          {
            label: ui.remove,
            icon: "remove",
            danger: true,
            needs: ["proxies", "remove"],
            onPress: () => actions.remove(proxy),
          },
        ]}
      />
    </div>
  );
}

/** A proxy that is up forwards; one that is off or does not respond blocks. */
export function ProxyState({ status, enabled = true }: Pick<Proxy, "status"> & { readonly enabled?: boolean }) {
  const t = useTranslation().proxies;
  const states: Record<Proxy["status"], StateName> = {
    up: "protected",
    down: enabled ? "unknown" : "blocked",
    failed: "blocked",
  };
  return <State state={states[status]} text={status === "down" && !enabled ? t.off : t.statuses[status]} />;
}
