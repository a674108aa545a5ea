import type { PrivacyStatus } from "@portcullis/contract/subsystems/privacy";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useSearchParam } from "../../ui/search-param.ts";
import { Button } from "../../ui/button.tsx";
import { Loaded, Page } from "../../ui/page.tsx";
import { apiQuery } from "../../api/queries.ts";
import { useMay } from "../../api/session.tsx";
import { useLeakCheck } from "../../components/privacy/leak-check.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { useReason } from "../../i18n/reason.ts";
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
  const { shell, privacy: t } = useTranslation();
  const may = useMay();
  const check = useLeakCheck();
  const status = useQuery({
    ...apiQuery("privacy", "status"),
    enabled: may(["privacy", "status"]),
    refetchInterval: 15_000,
  });
  const monitor = useQuery({ ...apiQuery("privacy", "leakMonitor"), refetchInterval: 10_000 });
  const [action, setAction] = useSearchParam("do");
  const [wanted, want] = useSearchParam("posture");
  const why = useReason();
  const rows = useMemo(() => rowsOf(status.data?.devices ?? noDevices, why), [status.data?.devices, why]);
  const counts = useMemo(() => countsOf(rows), [rows]);
  const sees = may(["privacy", "status"]);
  return (
    <Page
      title={shell.titles.privacy}
      subtitle={t.subtitle}
      actions={
        <Button kind="main" needs={["privacy", "leakCheck"]} busy={check.busy} onPress={() => check.run()}>
          {check.progress ?? t.checkAll}
        </Button>
      }
    >
      {sees && (
        <Loaded query={status}>
          {(known) => <SummaryCard status={known} counts={counts} wanted={wanted} onWant={want} />}
        </Loaded>
      )}
      <div className="privacy-halves">
        <CheckCard monitor={monitor} onSetUp={() => setAction("monitor")} />
        {sees && <Loaded query={status}>{(known) => <SystemCard status={known} />}</Loaded>}
      </div>
      {sees && <Loaded query={status}>{() => <DevicesCard rows={rows} wanted={wanted} onWant={want} />}</Loaded>}
      <AttemptsCard monitor={monitor} />
      {action === "monitor" && monitor.data && <MonitorDialog monitor={monitor.data} onClose={() => setAction("")} />}
    </Page>
  );
}

const noDevices: PrivacyStatus["devices"] = [];
