import type { PrivacyStatus } from "@portcullis/contract/subsystems/privacy";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useAddress } from "../../ui/address.ts";
import { Button } from "../../ui/button.tsx";
import { Loaded, Page } from "../../ui/page.tsx";
import { reading } from "../../api/reading.ts";
import { useMay } from "../../api/session.tsx";
import { useLeakCheck } from "../../components/privacy/leak-check.ts";
import { useWords } from "../../i18n/i18n.tsx";
import { AttemptsCard } from "./attempts-card.tsx";
import { CheckCard } from "./check-card.tsx";
import { countsOf, rowsOf } from "./device-rows.ts";
import { DevicesCard } from "./devices-card.tsx";
import { MonitorDialog } from "./monitor-dialog.tsx";
import { SummaryCard } from "./summary-card.tsx";
import { SystemCard } from "./system-card.tsx";
import "./privacy.css";

/** Protection by device, leak checks, defaults for all devices, and attempts. */
export function PrivacyPage() {
  const { frame, privacy: say } = useWords();
  const may = useMay();
  const check = useLeakCheck();
  const status = useQuery({
    ...reading("privacy", "status"),
    enabled: may(["privacy", "status"]),
    refetchInterval: 15_000,
  });
  const monitor = useQuery({ ...reading("privacy", "leakMonitor"), refetchInterval: 10_000 });
  const [deed, setDeed] = useAddress("do");
  const [wanted, want] = useAddress("posture");
  const rows = useMemo(() => rowsOf(status.data?.devices ?? nobody), [status.data?.devices]);
  const counts = useMemo(() => countsOf(rows), [rows]);
  const sees = may(["privacy", "status"]);
  return (
    <Page
      title={frame.titles.privacy}
      question={say.question}
      actions={
        <Button kind="main" needs={["privacy", "leakCheck"]} busy={check.busy} onPress={() => check.run()}>
          {say.checkAll}
        </Button>
      }
    >
      {sees && (
        <Loaded query={status}>
          {(known) => <SummaryCard status={known} counts={counts} wanted={wanted} onWant={want} />}
        </Loaded>
      )}
      <div className="privacy-halves">
        <CheckCard monitor={monitor} onSetUp={() => setDeed("monitor")} />
        {sees && <Loaded query={status}>{(known) => <SystemCard status={known} />}</Loaded>}
      </div>
      {sees && <Loaded query={status}>{() => <DevicesCard rows={rows} wanted={wanted} onWant={want} />}</Loaded>}
      <AttemptsCard monitor={monitor} />
      {deed === "monitor" && monitor.data && <MonitorDialog monitor={monitor.data} onClose={() => setDeed("")} />}
    </Page>
  );
}

const nobody: PrivacyStatus["devices"] = [];
