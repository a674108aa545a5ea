import type { Snapshot } from "@portcullis/contract/subsystems/history";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useAddress } from "../../ui/address.ts";
import { Button } from "../../ui/button.tsx";
import { Menu } from "../../ui/floating.tsx";
import { Empty, LoadedCard } from "../../ui/page.tsx";
import { Table } from "../../ui/table.tsx";
import { Ago } from "../../ui/time.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { everyRow, useAct } from "../../api/reading.ts";
import { useMay } from "../../api/session.tsx";
import { useWords } from "../../i18n/i18n.tsx";
import { CompareDialog } from "./compare-dialog.tsx";
import { actorWords, historyOf, type HistoryRow, rowWords } from "./history-text.ts";
import { NoteDialog } from "./note-dialog.tsx";
import { RollbackDialog } from "./rollback-dialog.tsx";

/** All snapshots, newest first. */
export function History() {
  const say = useWords().changes;
  const may = useMay();
  const snapshots = useQuery(everyRow("snapshots", "list", {}, 2000));
  const reverts = useQuery({
    ...everyRow("audit", "list", { action: "revert_change" }, 1000),
    enabled: may(["audit", "list"]),
  }).data;
  const rows = useMemo(() => historyOf(snapshots.data ?? [], reverts ?? []), [snapshots.data, reverts]);
  const [, setCompare] = useAddress("compare");
  return (
    <>
      <LoadedCard
        title={say.history}
        query={snapshots}
        lines={8}
        actions={
          <Button
            kind="quiet"
            needs={["snapshots", "differences"]}
            onPress={() => setCompare(rows[1]?.snapshot.id ?? "1")}
          >
            {say.compareTwo}
          </Button>
        }
      >
        {(all) => (all.length === 0 ? <Empty says={say.noHistory} /> : <States rows={rows} />)}
      </LoadedCard>
      <CompareDialog snapshots={snapshots.data ?? []} />
    </>
  );
}

function States({ rows }: { readonly rows: readonly HistoryRow[] }) {
  const say = useWords().changes;
  const [noting, setNoting] = useState<Snapshot>();
  const [goingBack, setGoingBack] = useState<Snapshot>();
  return (
    <>
      <Table
        label={say.history}
        rows={rows}
        rowKey={({ snapshot }) => snapshot.id}
        columns={[
          {
            key: "what",
            title: say.what,
            width: "3fr",
            cell: (row) => (
              <span>
                {rowWords(row, say)} <span className="quiet fine">{say.number(row.snapshot.id)}</span>{" "}
                {row.snapshot.current && <span className="tag">{say.runs}</span>}{" "}
                {row.snapshot.pinned && <span className="tag">{say.pinned}</span>}{" "}
                {row.wasTakenBack && <span className="tag">{say.takenBack}</span>}
                {row.snapshot.note && <span className="changes-note quiet fine wrap">{row.snapshot.note}</span>}
              </span>
            ),
          },
          { key: "when", title: say.when, cell: ({ snapshot }) => <Ago at={snapshot.created_at} /> },
          { key: "who", title: say.who, cell: ({ snapshot }) => actorWords(snapshot.actor, say) },
          {
            key: "changed",
            title: say.changed,
            width: "0.7fr",
            cell: ({ snapshot }) => say.changedCount(snapshot.changed),
          },
          {
            key: "actions",
            title: say.actions,
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
  const { changes: say, kit } = useWords();
  const toast = useToast();
  const [, setCompare] = useAddress("compare");
  const describe = useAct("snapshots", "update");
  const pin = (next: boolean, canUndo: boolean) =>
    describe.mutate(
      { params: { id }, body: { pinned: next } },
      {
        onSuccess: () => toast.done(next ? say.pinDone : say.unpinDone, canUndo ? () => pin(!next, false) : undefined),
        onError: toast.failed,
      },
    );
  return (
    <Menu
      label={kit.actionsFor(say.number(id))}
      items={[
        id !== "1" && {
          label: say.compareBefore,
          needs: ["snapshots", "differences"],
          onPress: () => setCompare(`${Number(id) - 1}-${id}`),
        },
        !current && { label: say.compareCurrent, needs: ["snapshots", "differences"], onPress: () => setCompare(id) },
        { label: pinned ? say.unpin : say.pin, needs: ["snapshots", "update"], onPress: () => pin(!pinned, true) },
        { label: say.writeNote, icon: "edit", needs: ["snapshots", "update"], onPress: onNote },
        !current && {
          label: say.rollback,
          icon: "changes",
          danger: true,
          needs: ["snapshots", "rollback"],
          onPress: onGoBack,
        },
      ]}
    />
  );
}
