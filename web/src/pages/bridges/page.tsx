import type { Bridge } from "@portcullis/contract/subsystems/bridges";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useSearchParam } from "../../ui/search-param.ts";
import { Button } from "../../ui/button.tsx";
import { Empty, Loaded, Page } from "../../ui/page.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { allRows, apiQuery, useAction } from "../../api/queries.ts";
import { useMay } from "../../api/session.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";
import { BridgeCard, type BridgeActions } from "./bridge-card.tsx";
import { BridgeDialog } from "./bridge-dialog.tsx";
import { OffDialog, RemoveDialog, TestDialog } from "./stop-dialogs.tsx";
import "./bridges.css";

export function BridgesPage() {
  const { shell, bridges: t } = useTranslation();
  const [doing, setDoing] = useSearchParam("do");
  const bridges = useQuery({ ...allRows("bridges", "list"), refetchInterval: 5000 });
  const status = useQuery({ ...apiQuery("bridges", "status"), refetchInterval: 5000 }).data;
  const health = useMemo(() => new Map(status?.map((it) => [it.id, it])), [status]);
  const actions = useBridgeActions((word, { id }) => setDoing(`${word}:${id}`));
  return (
    <Page
      title={shell.titles.bridges}
      subtitle={t.subtitle}
      actions={
        <Button kind="main" icon="add" needs={["bridges", "create"]} onPress={() => setDoing("add")}>
          {t.addOne}
        </Button>
      }
    >
      <Loaded query={bridges} lines={6}>
        {(all) => (
          <>
            {all.length === 0 && <Empty text={t.none} />}
            <div className="bridges-grid">
              {all.map((bridge) => (
                <BridgeCard key={bridge.id} bridge={bridge} health={health.get(bridge.id)} actions={actions} />
              ))}
            </div>
            <ActiveDialog doing={doing} bridges={all} onClose={() => setDoing("")} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

interface ActiveDialogProps {
  readonly doing: string;
  readonly bridges: readonly Bridge[];
  readonly onClose: () => void;
}

function ActiveDialog({ doing, bridges, onClose }: ActiveDialogProps) {
  const may = useMay();
  if (!may(["bridges", "update"])) return null;
  if (doing === "add") return <BridgeDialog onClose={onClose} />;
  const [word, id] = doing.split(":");
  const bridge = bridges.find((it) => it.id === id);
  if (!bridge) return null;
  if (word === "edit") return <BridgeDialog bridge={bridge} onClose={onClose} />;
  if (word === "remove") return <RemoveDialog bridge={bridge} onClose={onClose} />;
  if (word === "test") return <TestDialog bridge={bridge} onClose={onClose} />;
  return word === "off" ? <OffDialog bridge={bridge} onClose={onClose} /> : null;
}

function useBridgeActions(
  openDialog: (word: "edit" | "remove" | "test" | "off", bridge: Bridge) => void,
): BridgeActions {
  const t = useTranslation().bridges;
  const toast = useToast();
  const toggling = useAction("bridges", "toggle");
  const setEnabled = ({ id, name }: Bridge, enabled: boolean, undo?: () => void) =>
    toggling.mutate(
      { params: { id }, body: { enabled } },
      { onError: toast.failed, onSuccess: () => toast.done(enabled ? t.isOn(name) : t.isOff(name), undo) },
    );
  return {
    toggle: (bridge) => {
      if (bridge.enabled && bridge.members.length > 0) return openDialog("off", bridge);
      setEnabled(bridge, !bridge.enabled, () => setEnabled(bridge, bridge.enabled));
    },
    openDialog,
    busyWith: toggling.isPending ? toggling.variables.params.id : undefined,
  };
}
