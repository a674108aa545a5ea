import type { SplittingEndpoint } from "@portcullis/contract/subsystems/splitting";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Link } from "wouter";
import { Button } from "../../ui/button.tsx";
import { Menu } from "../../ui/floating.tsx";
import { Empty, LoadedCard } from "../../ui/page.tsx";
import { Table } from "../../ui/table.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { everyRow, useAct } from "../../api/reading.ts";
import { useFormat, useWords } from "../../i18n/i18n.tsx";
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
  const say = useWords().splitting;
  const endpoints = useQuery(everyRow("splittingEndpoints", "list"));
  const add = (
    <Button icon="add" needs={["splittingEndpoints", "create"]} onPress={onAdd}>
      {say.addOne}
    </Button>
  );
  return (
    <LoadedCard title={say.pool} query={endpoints} actions={add}>
      {(all) => (all.length === 0 ? <Empty says={say.noPool} /> : <Pool all={all} tunnels={tunnels} onEdit={onEdit} />)}
    </LoadedCard>
  );
}

function Pool({ all, tunnels, onEdit }: Omit<PoolProps, "onAdd"> & { readonly all: readonly SplittingEndpoint[] }) {
  const { splitting: say, kit } = useWords();
  const format = useFormat();
  const deeds = useEndpointDeeds();
  const shares = useMemo(() => sharesOf(all), [all]);
  const named = ({ name, tunnel_id }: SplittingEndpoint) => name ?? tunnels.get(tunnel_id) ?? say.unknownTunnel;
  return (
    <Table
      label={say.pool}
      rows={all}
      rowKey={({ id }) => id}
      columns={[
        {
          key: "tunnel",
          title: say.tunnel,
          width: "1.5fr",
          cell: ({ tunnel_id, name }) => (
            <div>
              <Link href={`/tunnels?open=${tunnel_id}`}>{tunnels.get(tunnel_id) ?? say.unknownTunnel}</Link>
              {name !== null && <div className="quiet fine">{name}</div>}
            </div>
          ),
        },
        { key: "role", title: say.role, cell: ({ role }) => say.roles[role] },
        {
          key: "share",
          title: say.shareWhenWell,
          width: "2.2fr",
          cell: ({ id, role, weight, target, bytes_per_second, enabled }) =>
            role === "member" ? (
              <ShareBar share={shares.get(id) ?? 0} note={say.weightOf(weight)} />
            ) : (
              <span className="fine">
                {say.padding(target ?? "–", format.bytes(bytes_per_second))} {!enabled && say.paddingOff}
              </span>
            ),
        },
        { key: "state", title: say.state, width: "0.7fr", cell: ({ enabled }) => (enabled ? kit.on : kit.off) },
        {
          key: "act",
          title: kit.more,
          actions: true,
          width: "11rem",
          cell: (endpoint) => (
            <div className="row splitting-buttons">
              <Button needs={["splittingEndpoints", "update"]} onPress={() => deeds.turn(endpoint, named(endpoint))}>
                {endpoint.enabled ? say.switchOff : say.switchOn}
              </Button>
              <Menu
                label={kit.actionsFor(named(endpoint))}
                items={[
                  {
                    label: kit.edit,
                    icon: "edit",
                    needs: ["splittingEndpoints", "update"],
                    onPress: () => onEdit(endpoint.id),
                  },
                  {
                    label: kit.remove,
                    icon: "remove",
                    danger: true,
                    needs: ["splittingEndpoints", "remove"],
                    onPress: () => deeds.remove(endpoint, named(endpoint)),
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
function useEndpointDeeds() {
  const say = useWords().splitting;
  const toast = useToast();
  const renews = ["splitting"] as const;
  const update = useAct("splittingEndpoints", "update", { renews });
  const remove = useAct("splittingEndpoints", "remove", { renews });
  const create = useAct("splittingEndpoints", "create", { renews });
  const turn = ({ id }: SplittingEndpoint, name: string, enabled: boolean, undo?: () => void) =>
    update.mutate(
      { params: { id }, body: { enabled } },
      { onError: toast.failed, onSuccess: () => toast.done(enabled ? say.isOn(name) : say.isOff(name), undo) },
    );
  return {
    turn: (endpoint: SplittingEndpoint, name: string) =>
      turn(endpoint, name, !endpoint.enabled, () => turn(endpoint, name, endpoint.enabled)),
    remove: ({ id, ...body }: SplittingEndpoint, name: string) =>
      remove.mutate(
        { params: { id } },
        {
          onError: toast.failed,
          onSuccess: () => toast.done(say.removed(name), () => create.mutate({ body }, { onError: toast.failed })),
        },
      ),
  };
}
