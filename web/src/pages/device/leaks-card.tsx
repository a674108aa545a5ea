import type { Device } from "@portcullis/contract/subsystems/devices";
import type { CheckedDevice, LeakMonitor } from "@portcullis/contract/subsystems/privacy";
import { useQuery } from "@tanstack/react-query";
import { Button } from "../../ui/button.tsx";
import { LoadedCard } from "../../ui/page.tsx";
import { State } from "../../ui/state.tsx";
import { Ago } from "../../ui/time.tsx";
import { apiQuery } from "../../api/queries.ts";
import { EvidenceList, Findings } from "../../components/privacy/findings.tsx";
import { useLeakCheck } from "../../components/privacy/leak-check.ts";
import { stateOfVerdict } from "../../components/privacy/verdicts.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";

/** The result of the last leak check for this device, and the device's own attempts. */
export function LeaksCard({ device }: { readonly device: Device }) {
  const t = useTranslation().privacy.own;
  const monitor = useQuery({ ...apiQuery("privacy", "leakMonitor"), refetchInterval: 15_000 });
  const check = useLeakCheck();
  return (
    <LoadedCard
      title={t.title}
      query={monitor}
      actions={
        <Button needs={["privacy", "leakCheck"]} busy={check.busy} onPress={() => check.run(device.id)}>
          {t.check}
        </Button>
      }
    >
      {(known) => {
        const own = known.last_check?.devices.find(({ device_id }) => device_id === device.id);
        return (
          <>
            {own ? <Checked own={own} /> : <p className="quiet">{t.unchecked}</p>}
            <Tried attempts={known.attempts.filter(({ device_id }) => device_id === device.id)} />
          </>
        );
      }}
    </LoadedCard>
  );
}

function Checked({ own }: { readonly own: CheckedDevice }) {
  const t = useTranslation().privacy;
  const { verdict } = own;
  return (
    <>
      <p className="row">
        <State state={stateOfVerdict[verdict]} text={t.verdicts[verdict]} />
        <span className="quiet fine">
          <Ago at={own.checked_at} />
        </span>
      </p>
      {own.findings.length > 0 && <Findings all={own.findings} />}
      {own.evidence.length > 0 && (
        <details>
          <summary className="quiet fine">{t.check.tried(own.evidence.length)}</summary>
          <EvidenceList all={own.evidence} />
        </details>
      )}
    </>
  );
}

function Tried({ attempts }: Pick<LeakMonitor, "attempts">) {
  const t = useTranslation().privacy;
  const format = useFormat();
  return (
    <div>
      <h3 className="device-source">{t.own.tried}</h3>
      {attempts.length === 0 ? (
        <p className="quiet">{t.own.noAttempts}</p>
      ) : (
        <ul className="device-lines">
          {attempts.map(({ kind, packets, last_at }) => (
            <li key={kind}>
              <span className="grow">{t.attempts.kinds[kind]}</span>
              <span className="quiet fine">
                {t.own.packets(packets, format.number(packets))} · <Ago at={last_at} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
