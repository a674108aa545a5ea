import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { apiQuery, useAction } from "../../api/queries.ts";
import { useMay } from "../../api/session.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";
import { useReason } from "../../i18n/reason.ts";
import { Button } from "../../ui/button.tsx";
import { StopDialog } from "../../ui/floating.tsx";
import { Empty, LoadedCard } from "../../ui/page.tsx";
import { useSearchParam } from "../../ui/search-param.ts";
import { State, type StateName } from "../../ui/state.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { type Advertised, advertisementsOf, RouterAdvertisementDialog } from "./router-advertisement-dialog.tsx";

const everyMs = 5000;
/** The dialog for another interface, by its address; followed by an interface, that of an existing one. */
const addAction = "advertise";

/** The LAN interfaces on which the gateway is advertised as IPv6 router. */
export function RouterAdvertisementsCard() {
  const { routerAdvertisements: t } = useTranslation();
  const query = useQuery({ ...apiQuery("routerAdvertisements", "get"), refetchInterval: everyMs });
  const [action, setAction] = useSearchParam("do");
  const [removed, setRemoved] = useState<Advertised>();
  const interfaces = query.data?.interfaces ?? [];
  const edited = interfaces.find((it) => action === `${addAction}:${it.interface}`);
  return (
    <LoadedCard
      title={t.title}
      query={query}
      actions={
        <Button icon="add" needs={["routerAdvertisements", "put"]} onPress={() => setAction(addAction)}>
          {t.add}
        </Button>
      }
    >
      {() => (
        <>
          {interfaces.length === 0 ? (
            <Empty text={t.none} />
          ) : (
            <InterfaceTable
              interfaces={interfaces}
              onEdit={(it) => setAction(`${addAction}:${it.interface}`)}
              onRemove={setRemoved}
            />
          )}
          {(edited || action === addAction) && (
            <RouterAdvertisementDialog interfaces={interfaces} edited={edited} onClose={() => setAction("")} />
          )}
          {removed && <RemoveDialog interfaces={interfaces} removed={removed} onClose={() => setRemoved(undefined)} />}
        </>
      )}
    </LoadedCard>
  );
}

const stateOf: Readonly<Record<Advertised["status"], StateName>> = {
  advertising: "protected",
  starting: "unknown",
  failed: "blocked",
  off: "unknown",
};

interface TableProps {
  readonly interfaces: readonly Advertised[];
  readonly onEdit: (advertised: Advertised) => void;
  readonly onRemove: (advertised: Advertised) => void;
}

function InterfaceTable({ interfaces, onEdit, onRemove }: TableProps) {
  const { routerAdvertisements: t } = useTranslation();
  const why = useReason();
  const changes = useMay()(["routerAdvertisements", "put"]);
  const columns: Column<Advertised>[] = [
    { key: "interface", title: t.interface, cell: (it) => <span className="strong">{it.interface}</span> },
    { key: "prefixes", title: t.prefixes, width: "1.6fr", cell: ({ prefixes }) => prefixes.join(", ") || "–" },
    {
      key: "state",
      title: t.state,
      width: "2fr",
      cell: (advertised) => (
        <span>
          <State state={stateOf[advertised.status]} text={t.statuses[advertised.status]} />
          {advertised.reason !== "" && <span className="quiet fine"> {why.line(advertised)}</span>}
        </span>
      ),
    },
    { key: "resolvers", title: t.resolvers, cell: ({ resolvers }) => resolvers.join(", ") || t.noResolver },
    {
      key: "actions",
      title: t.title,
      actions: true,
      width: changes ? "6rem" : "0",
      cell: (it) =>
        changes && (
          <span className="row">
            <Button kind="bare" icon="edit" label={t.edit(it.interface)} onPress={() => onEdit(it)} />
            <Button kind="bare" icon="remove" label={t.remove(it.interface)} onPress={() => onRemove(it)} />
          </span>
        ),
    },
  ];
  return <Table label={t.title} rows={interfaces} columns={columns} rowKey={(it) => it.interface} />;
}

interface RemoveProps {
  readonly interfaces: readonly Advertised[];
  readonly removed: Advertised;
  readonly onClose: () => void;
}

function RemoveDialog({ interfaces, removed, onClose }: RemoveProps) {
  const { routerAdvertisements: t } = useTranslation();
  const toast = useToast();
  const put = useAction("routerAdvertisements", "put", { invalidates: ["status"] });
  return (
    <StopDialog
      open
      onClose={onClose}
      title={t.remove(removed.interface)}
      action={t.remove(removed.interface)}
      text={<p>{t.removeText(removed.interface)}</p>}
      act={async () => {
        const others = interfaces.filter((it) => it.interface !== removed.interface);
        await put.mutateAsync({ body: advertisementsOf(others) });
        toast.done(t.removed, () => put.mutate({ body: advertisementsOf(interfaces) }, { onError: toast.failed }));
      }}
    />
  );
}
