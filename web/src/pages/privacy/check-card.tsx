import type { LeakCheck, LeakMonitor } from "@portcullis/contract/subsystems/privacy";
import type { UseQueryResult } from "@tanstack/react-query";
import { useMemo } from "react";
import { Button } from "../../ui/button.tsx";
import { LoadedCard } from "../../ui/page.tsx";
import { DeviceLink } from "../../components/device-link.tsx";
import { CheckVerdict } from "../../components/privacy/check-verdict.tsx";
import { Findings } from "../../components/privacy/findings.tsx";
import { summaryOfCheck } from "../../components/privacy/verdicts.ts";
import { useTranslation } from "../../i18n/i18n.tsx";

interface Props {
  readonly monitor: UseQueryResult<LeakMonitor, Error>;
  readonly onSetUp: () => void;
}

/** Time, trigger and result of the last leak check. */
export function CheckCard({ monitor, onSetUp }: Props) {
  const t = useTranslation().privacy;
  return (
    <LoadedCard
      title={t.check.title}
      query={monitor}
      actions={
        <Button icon="settings" needs={["privacy", "putLeakMonitor"]} onPress={onSetUp}>
          {t.monitor.edit}
        </Button>
      }
    >
      {({ last_check, enabled }) => (
        <>
          {last_check === null ? <p className="quiet">{t.check.none}</p> : <Checked check={last_check} />}
          <p className="quiet fine">{t.monitor.state(enabled)}</p>
        </>
      )}
    </LoadedCard>
  );
}

const maxShown = 20;

function Checked({ check }: { readonly check: LeakCheck }) {
  const t = useTranslation().privacy;
  const { devices, gateway } = check;
  const summary = useMemo(() => summaryOfCheck(check), [check]);
  const { found } = summary;
  return (
    <>
      <CheckVerdict check={check} summary={summary} />
      {gateway.length > 0 && (
        <div>
          <h3>{t.check.gateway}</h3>
          <Findings all={gateway} />
        </div>
      )}
      {found.slice(0, maxShown).map(({ device_id, name, findings }) => (
        <div key={device_id}>
          <h3>
            <DeviceLink id={device_id} name={name} />
          </h3>
          <Findings all={findings} />
        </div>
      ))}
      {found.length > maxShown && <p className="quiet">{t.check.more(found.length - maxShown)}</p>}
      {devices.length > 0 && <p className="quiet fine">{t.check.each}</p>}
    </>
  );
}
