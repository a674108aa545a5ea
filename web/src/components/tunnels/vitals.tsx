import type { Tunnel } from "@portcullis/contract/subsystems/tunnels";
import type { ReactNode } from "react";
import { Ago } from "../../ui/time.tsx";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { lossOf } from "./condition.ts";
import "./tunnels.css";

/** Handshake, round trip and loss. */
export function Vitals({ tunnel }: { readonly tunnel: Tunnel }) {
  const t = useTranslation().tunnels;
  const format = useFormat();
  const { last_handshake, rtt_ms } = tunnel;
  const loss = lossOf(tunnel);
  return (
    <dl className="tunnels-vitals">
      <Vital name={t.handshake}>
        <Ago at={last_handshake} />
      </Vital>
      <Vital name={t.roundTrip}>{rtt_ms === null ? "–" : format.ms(rtt_ms)}</Vital>
      <Vital name={t.loss}>
        {loss === null ? "–" : <span className={loss > 0 ? "tunnels-lossy" : ""}>{format.percent(loss)}</span>}
      </Vital>
    </dl>
  );
}

function Vital({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt className="quiet fine">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
