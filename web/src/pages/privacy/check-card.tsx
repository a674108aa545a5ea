import type { LeakCheck, LeakMonitor } from "@portcullis/contract/subsystems/privacy";
import type { UseQueryResult } from "@tanstack/react-query";
import { useMemo } from "react";
import { Button } from "../../ui/button.tsx";
import { LoadedCard } from "../../ui/page.tsx";
import { DeviceLink } from "../../components/device-link.tsx";
import { CheckVerdict } from "../../components/privacy/check-verdict.tsx";
import { Findings } from "../../components/privacy/findings.tsx";
import { summaryOfCheck } from "../../components/privacy/verdicts.ts";
import { useWords } from "../../i18n/i18n.tsx";

interface Props {
  readonly monitor: UseQueryResult<LeakMonitor, Error>;
  readonly onSetUp: () => void;
}

/** Time, trigger and result of the last leak check. */
export function CheckCard({ monitor, onSetUp }: Props) {
  const say = useWords().privacy;
  return (
    <LoadedCard
      title={say.check.title}
      query={monitor}
      actions={
        <Button icon="settings" needs={["privacy", "putLeakMonitor"]} onPress={onSetUp}>
          {say.monitor.edit}
        </Button>
      }
    >
      {({ last_check, enabled }) => (
        <>
          {last_check === null ? <p className="quiet">{say.check.none}</p> : <Checked check={last_check} />}
          <p className="quiet fine">{say.monitor.state(enabled)}</p>
        </>
      )}
    </LoadedCard>
  );
}

const shownMost = 20;

function Checked({ check }: { readonly check: LeakCheck }) {
  const say = useWords().privacy;
  const { devices, gateway } = check;
  const summary = useMemo(() => summaryOfCheck(check), [check]);
  const { found } = summary;
  return (
    <>
      <CheckVerdict check={check} summary={summary} />
      {gateway.length > 0 && (
        <div>
          <h3>{say.check.gateway}</h3>
          <Findings all={gateway} />
        </div>
      )}
      {found.slice(0, shownMost).map(({ device_id, name, findings }) => (
        <div key={device_id}>
          <h3>
            <DeviceLink id={device_id} name={name} />
          </h3>
          <Findings all={findings} />
        </div>
      ))}
      {found.length > shownMost && <p className="quiet">{say.check.more(found.length - shownMost)}</p>}
      {devices.length > 0 && <p className="quiet fine">{say.check.each}</p>}
    </>
  );
}
