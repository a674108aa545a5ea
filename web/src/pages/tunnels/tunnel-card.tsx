import type { Tunnel, TunnelEgress } from "@portcullis/contract/subsystems/tunnels";
import { Link } from "wouter";
import type { Flow } from "../../components/flows.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { useReason } from "../../i18n/reason.ts";
import { TunnelCondition, UsedBy } from "../../components/tunnels/condition.tsx";
import { Vitals } from "../../components/tunnels/vitals.tsx";
import { TunnelButtons } from "./actions.tsx";
import { FlowLines } from "./flow.tsx";

interface CardProps {
  readonly tunnel: Tunnel;
  readonly policies: readonly TunnelEgress[];
  readonly flow: Flow | undefined;
}

export function TunnelCard({ tunnel, policies, flow }: CardProps) {
  const t = useTranslation().tunnels;
  const why = useReason();
  const { name } = tunnel;
  return (
    <section className="card tunnels-card" aria-label={name}>
      <header>
        <h2 className="wrap grow">
          <Link href={`/tunnels?open=${tunnel.id}`}>{name}</Link>
        </h2>
        <TunnelButtons tunnel={tunnel} />
      </header>
      <div>
        <TunnelCondition tunnel={tunnel} />
        <p className="quiet fine wrap">{why.sentence(tunnel)}</p>
      </div>
      <Vitals tunnel={tunnel} />
      <FlowLines flow={flow} />
      <div className="stack tight tunnels-uses">
        <h3 className="fine quiet">{t.usedBy}</h3>
        <UsedBy policies={policies} max={3} />
      </div>
    </section>
  );
}
