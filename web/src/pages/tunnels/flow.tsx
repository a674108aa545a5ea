import { Sparkline } from "../../ui/sparkline.tsx";
import type { Flow } from "../../components/flows.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";

/** The current rate in both directions, and a sparkline of the last two minutes. */
export function FlowLines({ flow }: { readonly flow: Flow | undefined }) {
  const t = useTranslation().tunnels;
  const format = useFormat();
  const rates = flow?.rates.slice(-drawn) ?? [];
  const now = flow?.now;
  return (
    <div className="tunnels-flow">
      {(["rx", "tx"] as const).map((direction) => {
        const text = now ? format.rate(now[direction]) : t.noRate;
        return (
          <div key={direction}>
            <span className="quiet fine">{t[direction]}</span>
            <span className="tunnels-rate">{text}</span>
            <Sparkline points={rates.map((rate) => rate[direction])} text={t.flow(t[direction], text)} />
          </div>
        );
      })}
    </div>
  );
}

const drawn = 60;
