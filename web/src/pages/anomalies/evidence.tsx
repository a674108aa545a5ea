import type { Anomaly, AnomalyMeasure } from "@portcullis/contract/subsystems/anomalies";
import { LinkButton } from "../../ui/button.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Ago } from "../../ui/time.tsx";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";

/** What was measured, and the baseline or the limit beside it. */
export function Evidence({ anomaly }: { readonly anomaly: Anomaly }) {
  const { anomalies: t } = useTranslation();
  const format = useFormat();
  const { measures, destinations, domain, country } = anomaly.evidence;
  const valueOf = (value: number, unit: AnomalyMeasure["unit"]) =>
    unit === "bytes" ? format.bytes(value) : t.units[unit](format.number(value));
  return (
    <div className="stack tight anomalies-evidence">
      <Facts
        all={[
          ...measures.map(
            ({ measure, observed, expected, unit }) =>
              [
                t.measures[measure],
                expected === null
                  ? valueOf(observed, unit)
                  : t.against(valueOf(observed, unit), valueOf(expected, unit)),
              ] as const,
          ),
          ...(destinations.length > 0 ? [[t.destinations, destinations.join(", ")] as const] : []),
          ...(domain === null ? [] : [[t.domain, domain] as const]),
          ...(country === null ? [] : [[t.country, country] as const]),
          [t.firstSeen, <Ago at={anomaly.first_seen} />] as const,
        ]}
      />
      <div className="row">
        <LinkButton kind="quiet" to={`/devices/${anomaly.device_id}?range=week`} needs={["traffic", "history"]}>
          {t.toTraffic}
        </LinkButton>
      </div>
    </div>
  );
}
