import { Sparkline } from "../../ui/sparkline.tsx";
import type { Flow } from "../../components/flows.ts";
import { useFormat, useWords } from "../../i18n/i18n.tsx";

/** The current rate in both directions, and a sparkline of the last two minutes. */
export function FlowLines({ flow }: { readonly flow: Flow | undefined }) {
  const say = useWords().tunnels;
  const format = useFormat();
  const rates = flow?.rates.slice(-drawn) ?? [];
  const now = flow?.now;
  return (
    <div className="tunnels-flow">
      {(["rx", "tx"] as const).map((way) => {
        const text = now ? format.rate(now[way]) : say.noRate;
        return (
          <div key={way}>
            <span className="quiet fine">{say[way]}</span>
            <span className="tunnels-rate">{text}</span>
            <Sparkline points={rates.map((rate) => rate[way])} says={say.flow(say[way], text)} />
          </div>
        );
      })}
    </div>
  );
}

const drawn = 60;
