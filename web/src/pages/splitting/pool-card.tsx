import type { SplittingEndpoint } from "@portcullis/contract/subsystems/splitting";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Link } from "wouter";
import { Button } from "../../ui/button.tsx";
import { Menu } from "../../ui/floating.tsx";
import { Empty, LoadedCard } from "../../ui/page.tsx";
import { Table } from "../../ui/table.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { allRows, useAction } from "../../api/queries.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { ShareBar } from "./bar.tsx";
import { sharesOf } from "./shares.ts";

interface PoolProps {
  /** Id → name. */
  readonly tunnels: ReadonlyMap<string, string>;
  readonly onAdd: () => void;
  readonly onEdit: (id: string) => void;
}

/** The members of the pool, and the tunnels for cover traffic. */
export function PoolCard({ tunnels, onAdd, onEdit }: PoolProps) {
  const t = useTranslation().splitting;
  const endpoints = useQuery(allRows("splittingEndpoints", "list"));
  const add = (
    <Button icon="add" needs={["splittingEndpoints", "create"]} onPress={onAdd}>
      {t.addOne}
    </Button>
  );
  return (
    <LoadedCard title={t.pool} query={endpoints} actions={add}>
      {(all) => (all.length === 0 ? <Empty text={t.noPool} /> : <Pool all={all} tunnels={tunnels} onEdit={onEdit} />)}
    </LoadedCard>
  );
}

function Pool({ all, tunnels, onEdit }: Omit<PoolProps, "onAdd"> & { readonly all: readonly SplittingEndpoint[] }) {
  const { splitting: t, ui } = useTranslation();
  const format = useFormat();
  const actions = useEndpointActions();
  const shares = useMemo(() => sharesOf(all), [all]);
  const named = ({ name, tunnel_id }: SplittingEndpoint) => name ?? tunnels.get(tunnel_id) ?? t.unknownTunnel;
  return (
    <Table
      label={t.pool}
      rows={all}
      rowKey={({ id }) => id}
      columns={[
        {
          key: "tunnel",
          title: t.tunnel,
          width: "1.5fr",
          cell: ({ tunnel_id, name }) => (
            <div>
              <Link href={`/tunnels?open=${tunnel_id}`}>{tunnels.get(tunnel_id) ?? t.unknownTunnel}</Link>
              {name !== null && <div className="quiet fine">{name}</div>}
            </div>
          ),
        },
        { key: "role", title: t.role, cell: ({ role }) => t.roles[role] },
        {
          key: "share",
          title: t.shareWhenUp,
          width: "2.2fr",
          cell: ({ id, role, weight, target, bytes_per_second, enabled }) =>
            role === "member" ? (
              <ShareBar share={shares.get(id) ?? 0} note={t.weightOf(weight)} />
            ) : (
              <span className="fine">
                {t.padding(target ?? "–", format.bytes(bytes_per_second))} {!enabled && t.paddingOff}
              </span>
            ),
        },
        { key: "state", title: t.state, width: "0.7fr", cell: ({ enabled }) => (enabled ? ui.on : ui.off) },
        {
          key: "act",
          title: ui.more,
          actions: true,
          width: "11rem",
          cell: (endpoint) => (
            <div className="row splitting-buttons">
              <Button needs={["splittingEndpoints", "update"]} onPress={() => actions.turn(endpoint, named(endpoint))}>
                {endpoint.enabled ? t.switchOff : t.switchOn}
              </Button>
              <Menu
                label={ui.actionsFor(named(endpoint))}
                items={[
                  {
                    label: ui.edit,
                    icon: "edit",
                    needs: ["splittingEndpoints", "update"],
                    onPress: () => onEdit(endpoint.id),
                  },
                  {
                    label: ui.remove,
                    icon: "remove",
                    danger: true,
                    needs: ["splittingEndpoints", "remove"],
                    onPress: () => actions.remove(endpoint, named(endpoint)),
                  },
                ]}
              />
            </div>
          ),
        },
      ]}
    />
  );
}

/** Policies keep their hops, so these changes are applied at once, with undo. */
function useEndpointActions() {
  const t = useTranslation().splitting;
  const toast = useToast();
  const invalidates = ["splitting"] as const;
  const update = useAction("splittingEndpoints", "update", { invalidates });
  const remove = useAction("splittingEndpoints", "remove", { invalidates });
  const create = useAction("splittingEndpoints", "create", { invalidates });
  const turn = ({ id }: SplittingEndpoint, name: string, enabled: boolean, undo?: () => void) =>
    update.mutate(
      { params: { id }, body: { enabled } },
      { onError: toast.failed, onSuccess: () => toast.done(enabled ? t.isOn(name) : t.isOff(name), undo) },
    );
  return {
    turn: (endpoint: SplittingEndpoint, name: string) =>
      turn(endpoint, name, !endpoint.enabled, () => turn(endpoint, name, endpoint.enabled)),
    remove: ({ id, ...body }: SplittingEndpoint, name: string) =>
      remove.mutate(
        { params: { id } },
        {
          onError: toast.failed,
          onSuccess: () => toast.done(t.removed(name), () => create.mutate({ body }, { onError: toast.failed })),
        },
      ),
  };
}
