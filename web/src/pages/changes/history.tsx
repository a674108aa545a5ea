import type { Snapshot } from "@portcullis/contract/subsystems/history";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useSearchParam } from "../../ui/search-param.ts";
import { Button } from "../../ui/button.tsx";
import { Menu } from "../../ui/floating.tsx";
import { Empty, LoadedCard } from "../../ui/page.tsx";
import { Table } from "../../ui/table.tsx";
import { Ago } from "../../ui/time.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { allRows, useAction } from "../../api/queries.ts";
import { useMay } from "../../api/session.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";
import { CompareDialog } from "./compare-dialog.tsx";
import { actorText, historyOf, type HistoryRow, rowText } from "./history-text.ts";
import { NoteDialog } from "./note-dialog.tsx";
import { RollbackDialog } from "./rollback-dialog.tsx";

/** All snapshots, newest first. */
export function History() {
  const t = useTranslation().changes;
  const may = useMay();
  const snapshots = useQuery(allRows("snapshots", "list", {}, 2000));
  const reverts = useQuery({
    ...allRows("audit", "list", { action: "revert_change" }, 1000),
    enabled: may(["audit", "list"]),
  }).data;
  const rows = useMemo(() => historyOf(snapshots.data ?? [], reverts ?? []), [snapshots.data, reverts]);
  const [, setCompare] = useSearchParam("compare");
  return (
    <>
      <LoadedCard
        title={t.history}
        query={snapshots}
        lines={8}
        actions={
          <Button
            kind="quiet"
            needs={["snapshots", "differences"]}
            onPress={() => setCompare(rows[1]?.snapshot.id ?? "1")}
          >
            {t.compareTwo}
          </Button>
        }
      >
        {(all) => (all.length === 0 ? <Empty text={t.noHistory} /> : <States rows={rows} />)}
      </LoadedCard>
      <CompareDialog snapshots={snapshots.data ?? []} />
    </>
  );
}

function States({ rows }: { readonly rows: readonly HistoryRow[] }) {
  const t = useTranslation().changes;
  const [noting, setNoting] = useState<Snapshot>();
  const [goingBack, setGoingBack] = useState<Snapshot>();
  return (
    <>
      <Table
        label={t.history}
        rows={rows}
        rowKey={({ snapshot }) => snapshot.id}
        columns={[
          {
            key: "what",
            title: t.what,
            width: "3fr",
            cell: (row) => (
              <span>
                {rowText(row, t)} <span className="quiet fine">{t.number(row.snapshot.id)}</span>{" "}
                {row.snapshot.current && <span className="tag">{t.runs}</span>}{" "}
                {row.snapshot.pinned && <span className="tag">{t.pinned}</span>}{" "}
                {row.wasReverted && <span className="tag">{t.reverted}</span>}
                {row.snapshot.note && <span className="changes-note quiet fine wrap">{row.snapshot.note}</span>}
              </span>
            ),
          },
          { key: "when", title: t.when, cell: ({ snapshot }) => <Ago at={snapshot.created_at} /> },
          { key: "who", title: t.who, cell: ({ snapshot }) => actorText(snapshot.actor, t) },
          {
            key: "changed",
            title: t.changed,
            width: "0.7fr",
            cell: ({ snapshot }) => t.changedCount(snapshot.changed),
          },
          {
            key: "actions",
            title: t.actions,
            actions: true,
            cell: ({ snapshot }) => (
              <StateMenu
                snapshot={snapshot}
                onNote={() => setNoting(snapshot)}
                onGoBack={() => setGoingBack(snapshot)}
              />
            ),
          },
        ]}
      />
      {noting && <NoteDialog key={noting.id} snapshot={noting} onClose={() => setNoting(undefined)} />}
      <RollbackDialog snapshot={goingBack} onClose={() => setGoingBack(undefined)} />
    </>
  );
}

interface StateMenuProps {
  readonly snapshot: Snapshot;
  readonly onNote: () => void;
  readonly onGoBack: () => void;
}

function StateMenu({ snapshot: { id, pinned, current }, onNote, onGoBack }: StateMenuProps) {
  const { changes: t, ui } = useTranslation();
  const toast = useToast();
  const [, setCompare] = useSearchParam("compare");
  const describe = useAction("snapshots", "update");
  const pin = (next: boolean, canUndo: boolean) =>
    describe.mutate(
      { params: { id }, body: { pinned: next } },
      {
        onSuccess: () => toast.done(next ? t.pinDone : t.unpinDone, canUndo ? () => pin(!next, false) : undefined),
        onError: toast.failed,
      },
    );
  return (
    <Menu
      label={ui.actionsFor(t.number(id))}
      items={[
        id !== "1" && {
          label: t.compareBefore,
          needs: ["snapshots", "differences"],
          onPress: () => setCompare(`${Number(id) - 1}-${id}`),
        },
        !current && { label: t.compareCurrent, needs: ["snapshots", "differences"], onPress: () => setCompare(id) },
        { label: pinned ? t.unpin : t.pin, needs: ["snapshots", "update"], onPress: () => pin(!pinned, true) },
        { label: t.writeNote, icon: "edit", needs: ["snapshots", "update"], onPress: onNote },
        !current && {
          label: t.rollback,
          icon: "changes",
          danger: true,
          needs: ["snapshots", "rollback"],
          onPress: onGoBack,
        },
      ]}
    />
  );
}
