import type { UseQueryResult } from "@tanstack/react-query";
import { Fragment, type ReactNode, useState } from "react";
import type { Stored } from "../api/queries.ts";
import { type Needs, useMay } from "../api/session.tsx";
import { useTranslation } from "../i18n/i18n.tsx";
import { useSearchParam } from "./search-param.ts";
import { Button } from "./button.tsx";
import { Menu, type MenuItem } from "./floating.tsx";
import { Empty, LoadedCard } from "./page.tsx";
import { type Column, Table } from "./table.tsx";

interface Props<T> {
  readonly title: string;
  readonly query: UseQueryResult<readonly T[], Error>;
  /** The subsystem of the entries, for permissions. */
  readonly subsystem: Stored;
  readonly columns: readonly Column<T>[];
  readonly nameOf: (row: T) => string;
  readonly empty: string;
  /** The search text: no result is not the same as no entries. */
  readonly find?: string;
  readonly add: string;
  /** In the URL: `?do=<word>` adds one, `?open=ID` opens one. */
  readonly word: string;
  /** Without a row: a new entry. */
  readonly dialog: (row: T | undefined, onClose: () => void) => ReactNode;
  /** Immediately with undo; or with a confirmation, where something stops working. */
  readonly removal: ((row: T) => void) | { readonly confirming: (row: T, onClose: () => void) => ReactNode };
  readonly more?: (row: T) => readonly MenuItem[];
}

/** A card with a table of entries, a button to add one and a menu for each. */
export function EntryTable<T extends { readonly id: string }>(props: Props<T>) {
  const { title, query, subsystem, columns, nameOf, empty, find, add, word, dialog, removal, more } = props;
  const { ui } = useTranslation();
  const may = useMay();
  const [doing, setDoing] = useSearchParam("do");
  const [open, setOpen] = useSearchParam("open");
  const [leaving, setLeaving] = useState<T>();
  const needs = (operation: "create" | "update" | "remove") => [subsystem, operation] as Needs;
  const row = open === "" ? undefined : query.data?.find(({ id }) => id === open);
  const confirming = typeof removal === "function" ? undefined : removal.confirming;
  const adding = (
    <Button icon="add" needs={needs("create")} onPress={() => setDoing(word)}>
      {add}
    </Button>
  );
  const items = (it: T): readonly MenuItem[] => [
    ...(more?.(it) ?? []),
    { label: ui.edit, icon: "edit", needs: needs("update"), onPress: () => setOpen(it.id) },
    {
      label: ui.remove,
      icon: "remove",
      danger: confirming !== undefined,
      needs: needs("remove"),
      onPress: () => (typeof removal === "function" ? removal(it) : setLeaving(it)),
    },
  ];
  const actions: Column<T> = {
    key: "actions",
    title: ui.more,
    actions: true,
    width: "36px",
    cell: (it) => <Menu label={ui.actionsFor(nameOf(it))} items={items(it)} />,
  };
  return (
    <>
      <LoadedCard title={title} query={query} actions={query.data?.length ? adding : undefined}>
        {(rows) =>
          rows.length > 0 ? (
            <Table label={title} rows={rows} rowKey={({ id }) => id} columns={[...columns, actions]} />
          ) : (
            <Empty text={find ? ui.nothingFound : empty}>{adding}</Empty>
          )
        }
      </LoadedCard>
      {doing === word && may(needs("create")) && dialog(undefined, () => setDoing(""))}
      {row && may(needs("update")) && <Fragment key={row.id}>{dialog(row, () => setOpen(""))}</Fragment>}
      {leaving && confirming?.(leaving, () => setLeaving(undefined))}
    </>
  );
}
