import type { DnsList } from "@portcullis/contract/subsystems/dns-lists";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useSearchParam } from "../../ui/search-param.ts";
import { Button } from "../../ui/button.tsx";
import { Menu, StopDialog } from "../../ui/floating.tsx";
import { TextField } from "../../ui/form.tsx";
import { Empty, LoadedCard } from "../../ui/page.tsx";
import { RowSwitch } from "../../ui/row-switch.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Ago } from "../../ui/time.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { allRows, useAction } from "../../api/queries.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { UploadDialog } from "./list-dialogs.tsx";
import { useSourceName } from "./sources.tsx";
import { reasonIn, useReason } from "../../i18n/reason.ts";

interface Props {
  readonly onAdd: () => void;
  readonly onChoose: () => void;
}

export function ListsCard({ onAdd, onChoose }: Props) {
  const { dns, ui } = useTranslation();
  const t = dns.lists;
  const lists = useQuery({ ...allRows("dnsPresets", "list"), refetchInterval: 5000 });
  const [find, setFind] = useSearchParam("find");
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
        {t.add}
      </Button>
      <Button kind="main" needs={["dnsCatalog", "choose"]} onPress={onChoose}>
        {t.choose}
      </Button>
    </>
  );
  return (
    <LoadedCard title={t.title} query={lists} actions={lists.data?.length ? buttons : undefined}>
      {(all) =>
        all.length === 0 ? (
          <Empty text={t.empty}>
            <div className="row">{buttons}</div>
          </Empty>
        ) : (
          <>
            <div className="dns-search">
              <TextField label={ui.search} type="search" value={find} onChange={setFind} />
            </div>
            {shown.length > 0 ? (
              <Table label={t.title} rows={shown} rowKey={({ id }) => id} columns={columns} />
            ) : (
              <Empty text={ui.nothingFound} />
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
  const { dns, ui } = useTranslation();
  const t = dns.lists;
  const format = useFormat();
  const toast = useToast();
  const sourceName = useSourceName();
  const [, setOpen] = useSearchParam("open");
  const update = useAction("dnsPresets", "update", { invalidates: ["dns", "dnsThreatFeeds"] });
  const refresh = useAction("dnsPresets", "refresh", { invalidates: ["dns", "dnsThreatFeeds"] });
  const readAgain = ({ id, name }: DnsList) =>
    refresh.mutate(
      { params: { id } },
      { onSuccess: ({ entries }) => toast.done(t.read(name, format.number(entries))), onError: toast.failed },
    );
  return [
    { key: "name", title: t.name, width: "2fr", cell: (list) => <NameCell list={list} /> },
    {
      key: "category",
      title: t.category,
      width: "6.5rem",
      cell: ({ category, action }) => (action === "allow" ? t.allows(t.categories[category]) : t.categories[category]),
    },
    { key: "fresh", title: t.fresh, width: "6.5rem", cell: ({ read_at }) => <Ago at={read_at} none={t.never} /> },
    { key: "scope", title: dns.scope.label, width: "6.5rem", cell: sourceName },
    { key: "entries", title: t.names, width: "5rem", right: true, cell: ({ entries }) => format.number(entries) },
    {
      key: "cost",
      title: t.cost,
      width: "4.75rem",
      right: true,
      cell: ({ memory_bytes }) => format.bytes(memory_bytes),
    },
    {
      key: "enabled",
      title: t.enabled,
      width: "3.25rem",
      cell: ({ id, name, enabled }) => (
        <RowSwitch
          label={t.enabledFor(name)}
          needs={["dnsPresets", "update"]}
          value={enabled}
          onChange={(to) => update.mutate({ params: { id }, body: { enabled: to } }, { onError: toast.failed })}
        />
      ),
    },
    {
      key: "actions",
      title: ui.more,
      actions: true,
      width: "36px",
      cell: (list) => (
        <Menu
          label={ui.actionsFor(list.name)}
          items={[
            isUploaded(list)
              ? { label: t.upload, icon: "up", needs: ["dnsPresets", "upload"], onPress: () => fill(list) }
              : {
                  label: t.refresh,
                  icon: "refresh",
                  needs: ["dnsPresets", "refresh"],
                  onPress: () => readAgain(list),
                },
            { label: ui.edit, icon: "edit", needs: ["dnsPresets", "update"], onPress: () => setOpen(list.id) },
            {
              label: ui.remove,
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

const isUploaded = ({ url, path }: DnsList): boolean => url === null && path === null;

function NameCell({ list }: { readonly list: DnsList }) {
  const t = useTranslation().dns.lists;
  const format = useFormat();
  const why = useReason();
  const { name, url, path, problem, skipped } = list;
  return (
    <div className="dns-list-name">
      <span>{name}</span>
      <span className="quiet fine dns-cut">{url ?? path ?? t.uploaded}</span>
      {problem && <span className="problem fine">{t.problem(why.clause(reasonIn("problem", list)))}</span>}
      {skipped > 0 && <span className="quiet fine">{t.skipped(format.number(skipped))}</span>}
    </div>
  );
}

function RemoveDialog({ list, onClose }: { readonly list: DnsList; readonly onClose: () => void }) {
  const t = useTranslation().dns.lists;
  const format = useFormat();
  const sourceName = useSourceName();
  const remove = useAction("dnsPresets", "remove", { invalidates: ["dns", "dnsCatalog", "dnsThreatFeeds"] });
  return (
    <StopDialog
      onClose={onClose}
      title={t.removeTitle(list.name)}
      text={t.removes(list.action, format.number(list.entries), sourceName(list), isUploaded(list))}
      action={t.removeAction}
      act={() => remove.mutateAsync({ params: { id: list.id } })}
    />
  );
}
