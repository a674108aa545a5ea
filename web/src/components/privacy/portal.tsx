import type { CaptiveCheck } from "@portcullis/contract/subsystems/captive";
import { Facts } from "../../ui/facts.tsx";
import { State, type StateName } from "../../ui/state.tsx";
import { Ago } from "../../ui/time.tsx";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import "./privacy.css";
import { reasonsIn, useReason } from "../../i18n/reason.ts";

const states: Readonly<Record<CaptiveCheck["state"], StateName>> = {
  open: "protected",
  captive: "blocked",
  offline: "unknown",
};

/** Result of the gateway's portal detection, with the requests it made. */
export function PortalResult({ check }: { readonly check: CaptiveCheck }) {
  const t = useTranslation().privacy.portal;
  const format = useFormat();
  const why = useReason();
  const { state, uplink, checked_at, portal_url, portal_addresses, evidence } = check;
  return (
    <div className="stack tight">
      <p role="status">
        <State state={states[state]} text={t.states[state]} />
      </p>
      <p className="quiet fine">
        {t.through(uplink)} · <Ago at={checked_at} />
      </p>
      <Facts
        all={[
          portal_url !== null && [t.url, <span className="code">{portal_url}</span>],
          portal_addresses.length > 0 && [t.addresses, <span className="code">{format.list(portal_addresses)}</span>],
        ]}
      />
      {evidence.length > 0 && (
        <details>
          <summary className="quiet fine">{t.evidence}</summary>
          <ol className="portal-evidence fine">
            {reasonsIn("evidence", check).map((it, index) => (
              // In order of arrival; none is added later.
              // oxlint-disable-next-line react/no-array-index-key
              <li key={index}>{why.line(it)}</li>
            ))}
          </ol>
        </details>
      )}
    </div>
  );
}
