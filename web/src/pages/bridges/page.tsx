import type { Bridge } from "@portcullis/contract/subsystems/bridges";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useAddress } from "../../ui/address.ts";
import { Button } from "../../ui/button.tsx";
import { Empty, Loaded, Page } from "../../ui/page.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { everyRow, reading, useAct } from "../../api/reading.ts";
import { useMay } from "../../api/session.tsx";
import { useWords } from "../../i18n/i18n.tsx";
import { BridgeCard, type BridgeDeeds } from "./bridge-card.tsx";
import { BridgeDialog } from "./bridge-dialog.tsx";
import { OffDialog, RemoveDialog, TestDialog } from "./stop-dialogs.tsx";
import "./bridges.css";

export function BridgesPage() {
  const { frame, bridges: say } = useWords();
  const [doing, setDoing] = useAddress("do");
  const bridges = useQuery({ ...everyRow("bridges", "list"), refetchInterval: 5000 });
  const status = useQuery({ ...reading("bridges", "status"), refetchInterval: 5000 }).data;
  const health = useMemo(() => new Map(status?.map((it) => [it.id, it])), [status]);
  const deeds = useBridgeDeeds((word, { id }) => setDoing(`${word}:${id}`));
  return (
    <Page
      title={frame.titles.bridges}
      question={say.question}
      actions={
        <Button kind="main" icon="add" needs={["bridges", "create"]} onPress={() => setDoing("add")}>
          {say.addOne}
        </Button>
      }
    >
      <Loaded query={bridges} lines={6}>
        {(all) => (
          <>
            {all.length === 0 && <Empty says={say.none} />}
            <div className="bridges-grid">
              {all.map((bridge) => (
                <BridgeCard key={bridge.id} bridge={bridge} health={health.get(bridge.id)} deeds={deeds} />
              ))}
            </div>
            <Asked doing={doing} bridges={all} onClose={() => setDoing("")} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

interface AskedProps {
  readonly doing: string;
  readonly bridges: readonly Bridge[];
  readonly onClose: () => void;
}

function Asked({ doing, bridges, onClose }: AskedProps) {
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

function useBridgeDeeds(ask: (word: "edit" | "remove" | "test" | "off", bridge: Bridge) => void): BridgeDeeds {
  const say = useWords().bridges;
  const toast = useToast();
  const toggle = useAct("bridges", "toggle");
  const turn = ({ id, name }: Bridge, enabled: boolean, undo?: () => void) =>
    toggle.mutate(
      { params: { id }, body: { enabled } },
      { onError: toast.failed, onSuccess: () => toast.done(enabled ? say.isOn(name) : say.isOff(name), undo) },
    );
  return {
    turn: (bridge) => {
      if (bridge.enabled && bridge.members.length > 0) return ask("off", bridge);
      turn(bridge, !bridge.enabled, () => turn(bridge, bridge.enabled));
    },
    ask,
    busyWith: toggle.isPending ? toggle.variables.params.id : undefined,
  };
}
