import type { Vlan } from "@portcullis/contract/subsystems/vlans";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { apiQuery, useAction } from "../../api/queries.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { useReason } from "../../i18n/reason.ts";
import { Button } from "../../ui/button.tsx";
import { Menu, StopDialog } from "../../ui/floating.tsx";
import { Empty, LoadedCard } from "../../ui/page.tsx";
import { useSearchParam } from "../../ui/search-param.ts";
import { State, type StateName } from "../../ui/state.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { VlanDialog } from "./vlan-dialog.tsx";

const everyMs = 5000;
/** The dialog for a new VLAN, by its address; followed by an id, that of an existing one. */
const addAction = "vlan";

/** VLANs with devices or providers behind them. */
export function VlansCard() {
  const { vlans: t } = useTranslation();
  const query = useQuery({ ...apiQuery("vlans", "list"), refetchInterval: everyMs });
  const [action, setAction] = useSearchParam("do");
  const [removed, setRemoved] = useState<Vlan>();
  return (
    <LoadedCard
      title={t.title}
      query={query}
      actions={
        <Button icon="add" needs={["vlans", "create"]} onPress={() => setAction(addAction)}>
          {t.add}
        </Button>
      }
    >
      {({ items: vlans }) => {
        const edited = vlans.find((it) => action === `${addAction}:${it.id}`);
        return (
          <>
            {vlans.length === 0 ? (
              <Empty text={t.none} />
            ) : (
              <VlanTable vlans={vlans} onEdit={(it) => setAction(`${addAction}:${it.id}`)} onRemove={setRemoved} />
            )}
            {(edited || action === addAction) && <VlanDialog vlan={edited} onClose={() => setAction("")} />}
            {removed && <RemoveDialog vlan={removed} onClose={() => setRemoved(undefined)} />}
          </>
        );
      }}
    </LoadedCard>
  );
}

interface TableProps {
  readonly vlans: readonly Vlan[];
  readonly onEdit: (vlan: Vlan) => void;
  readonly onRemove: (vlan: Vlan) => void;
}

function VlanTable({ vlans, onEdit, onRemove }: TableProps) {
  const { vlans: t, ui } = useTranslation();
  const why = useReason();
  const columns: Column<Vlan>[] = [
    {
      key: "name",
      title: t.name,
      width: "1.4fr",
      cell: (it) => (
        <>
          <span className="strong">{it.name}</span>
          <p className="quiet fine">{t.onParent(it.vlan_id, it.parent)}</p>
        </>
      ),
    },
    { key: "interface", title: t.interface, cell: (it) => it.interface },
    { key: "addresses", title: t.addresses, width: "1.6fr", cell: ({ addresses }) => addresses.join(", ") || "–" },
    { key: "role", title: t.role, cell: ({ role }) => t.roles[role] },
    {
      key: "state",
      title: t.state,
      width: "1.8fr",
      cell: (it) => (
        <>
          <State state={states[it.status]} text={t.states[it.status]} />
          {it.status !== "up" && <p className="quiet fine wrap">{why.sentence(it)}</p>}
        </>
      ),
    },
    {
      key: "actions",
      title: t.title,
      actions: true,
      width: "3rem",
      cell: (vlan) => (
        <Menu
          label={ui.actionsFor(vlan.name)}
          items={[
            { label: ui.edit, icon: "edit", needs: ["vlans", "update"], onPress: () => onEdit(vlan) },
            {
              label: ui.remove,
              icon: "remove",
              danger: true,
              needs: ["vlans", "remove"],
              onPress: () => onRemove(vlan),
            },
          ]}
        />
      ),
    },
  ];
  return <Table label={t.title} rows={vlans} columns={columns} rowKey={(it) => it.id} />;
}

const states: Readonly<Record<Vlan["status"], StateName>> = { up: "protected", down: "unknown", failed: "blocked" };

function RemoveDialog({ vlan, onClose }: { readonly vlan: Vlan; readonly onClose: () => void }) {
  const { vlans: t } = useTranslation();
  const remove = useAction("vlans", "remove");
  return (
    <StopDialog
      onClose={onClose}
      title={t.removeTitle(vlan.name)}
      text={t.removeText(vlan.name)}
      act={() => remove.mutateAsync({ params: { id: vlan.id } })}
      doneText={t.removed(vlan.name)}
    />
  );
}
