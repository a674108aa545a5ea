import type { DnsList } from "@portcullis/contract/subsystems/dns-lists";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useAddress } from "../../ui/address.ts";
import { Button } from "../../ui/button.tsx";
import { Menu, StopDialog } from "../../ui/floating.tsx";
import { TextField } from "../../ui/form.tsx";
import { Empty, LoadedCard } from "../../ui/page.tsx";
import { RowSwitch } from "../../ui/row-switch.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Ago } from "../../ui/time.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { everyRow, useAct } from "../../api/reading.ts";
import { useFormat, useWords } from "../../i18n/i18n.tsx";
import { UploadDialog } from "./list-dialogs.tsx";
import { useSourceName } from "./sources.tsx";

interface Props {
  readonly onAdd: () => void;
  readonly onChoose: () => void;
}

export function ListsCard({ onAdd, onChoose }: Props) {
  const { dns, kit } = useWords();
  const say = dns.lists;
  const lists = useQuery({ ...everyRow("dnsPresets", "list"), refetchInterval: 5000 });
  const [find, setFind] = useAddress("find");
  const [leaving, setLeaving] = useState<DnsList>();
  const [filled, setFilled] = useState<DnsList>();
  const columns = useColumns(setLeaving, setFilled);
  const wanted = find.trim().toLowerCase();
  const shown = useMemo(
    () => (lists.data ?? []).filter(({ name, url }) => `${name} ${url ?? ""}`.toLowerCase().includes(wanted)),
    [lists.data, wanted],
  );
  const buttons = (
    <>
      <Button icon="add" needs={["dnsPresets", "create"]} onPress={onAdd}>
        {say.add}
      </Button>
      <Button kind="main" needs={["dnsCatalog", "choose"]} onPress={onChoose}>
        {say.choose}
      </Button>
    </>
  );
  return (
    <LoadedCard title={say.title} query={lists} actions={lists.data?.length ? buttons : undefined}>
      {(all) =>
        all.length === 0 ? (
          <Empty says={say.empty}>
            <div className="row">{buttons}</div>
          </Empty>
        ) : (
          <>
            <div className="dns-search">
              <TextField label={kit.search} type="search" value={find} onChange={setFind} />
            </div>
            {shown.length > 0 ? (
              <Table label={say.title} rows={shown} rowKey={({ id }) => id} columns={columns} />
            ) : (
              <Empty says={kit.nothingFound} />
            )}
            {leaving && <RemoveDialog list={leaving} onClose={() => setLeaving(undefined)} />}
            {filled && <UploadDialog list={filled} onClose={() => setFilled(undefined)} />}
          </>
        )
      }
    </LoadedCard>
  );
}

function useColumns(leave: (list: DnsList) => void, fill: (list: DnsList) => void): readonly Column<DnsList>[] {
  const { dns, kit } = useWords();
  const say = dns.lists;
  const format = useFormat();
  const toast = useToast();
  const sourceName = useSourceName();
  const [, setOpen] = useAddress("open");
  const update = useAct("dnsPresets", "update", { renews: ["dns", "dnsThreatFeeds"] });
  const refresh = useAct("dnsPresets", "refresh", { renews: ["dns", "dnsThreatFeeds"] });
  const readAgain = ({ id, name }: DnsList) =>
    refresh.mutate(
      { params: { id } },
      { onSuccess: ({ entries }) => toast.done(say.read(name, format.number(entries))), onError: toast.failed },
    );
  return [
    { key: "name", title: say.name, width: "2fr", cell: (list) => <NameCell list={list} /> },
    {
      key: "category",
      title: say.category,
      width: "6.5rem",
      cell: ({ category, action }) =>
        action === "allow" ? say.allows(say.categories[category]) : say.categories[category],
    },
    { key: "fresh", title: say.fresh, width: "6.5rem", cell: ({ read_at }) => <Ago at={read_at} none={say.never} /> },
    { key: "scope", title: dns.scope.label, width: "6.5rem", cell: sourceName },
    { key: "entries", title: say.names, width: "5rem", right: true, cell: ({ entries }) => format.number(entries) },
    {
      key: "cost",
      title: say.cost,
      width: "4.75rem",
      right: true,
      cell: ({ memory_bytes }) => format.bytes(memory_bytes),
    },
    {
      key: "enabled",
      title: say.enabled,
      width: "3.25rem",
      cell: ({ id, name, enabled }) => (
        <RowSwitch
          label={say.enabledFor(name)}
          needs={["dnsPresets", "update"]}
          value={enabled}
          onChange={(to) => update.mutate({ params: { id }, body: { enabled: to } }, { onError: toast.failed })}
        />
      ),
    },
    {
      key: "actions",
      title: kit.more,
      actions: true,
      width: "36px",
      cell: (list) => (
        <Menu
          label={kit.actionsFor(list.name)}
          items={[
            isHandedIn(list)
              ? { label: say.upload, icon: "up", needs: ["dnsPresets", "upload"], onPress: () => fill(list) }
              : {
                  label: say.refresh,
                  icon: "refresh",
                  needs: ["dnsPresets", "refresh"],
                  onPress: () => readAgain(list),
                },
            { label: kit.edit, icon: "edit", needs: ["dnsPresets", "update"], onPress: () => setOpen(list.id) },
            {
              label: kit.remove,
              icon: "remove",
              danger: true,
              needs: ["dnsPresets", "remove"],
              onPress: () => leave(list),
            },
          ]}
        />
      ),
    },
  ];
}

const isHandedIn = ({ url, path }: DnsList): boolean => url === null && path === null;

function NameCell({ list }: { readonly list: DnsList }) {
  const say = useWords().dns.lists;
  const format = useFormat();
  const { name, url, path, problem, skipped } = list;
  return (
    <div className="dns-list-name">
      <span>{name}</span>
      <span className="quiet fine dns-cut">{url ?? path ?? say.handedIn}</span>
      {problem && <span className="problem fine">{say.problem(problem)}</span>}
      {skipped > 0 && <span className="quiet fine">{say.skipped(format.number(skipped))}</span>}
    </div>
  );
}

function RemoveDialog({ list, onClose }: { readonly list: DnsList; readonly onClose: () => void }) {
  const say = useWords().dns.lists;
  const format = useFormat();
  const sourceName = useSourceName();
  const remove = useAct("dnsPresets", "remove", { renews: ["dns", "dnsCatalog", "dnsThreatFeeds"] });
  return (
    <StopDialog
      onClose={onClose}
      title={say.removeTitle(list.name)}
      says={say.removes(list.action, format.number(list.entries), sourceName(list), isHandedIn(list))}
      action={say.removeAction}
      act={() => remove.mutateAsync({ params: { id: list.id } })}
    />
  );
}
