import { useQuery } from "@tanstack/react-query";
import { LoadedCard } from "../../ui/page.tsx";
import { Ago } from "../../ui/time.tsx";
import { reading } from "../../api/reading.ts";
import { useWords } from "../../i18n/i18n.tsx";

const shownMost = 12;

/** Changes of the active uplink, with reasons. */
export function SwitchesCard() {
  const { network: say } = useWords();
  const query = useQuery({ ...reading("uplinks", "decisions"), refetchInterval: 5000 });
  return (
    <LoadedCard title={say.switches} query={query}>
      {({ switches }) =>
        switches.length === 0 ? (
          <p className="quiet">{say.noSwitches}</p>
        ) : (
          <ol className="network-list">
            {switches.slice(0, shownMost).map(({ at, from, to, reason }) => (
              <li key={`${at} ${to}`}>
                <span className="quiet fine">
                  <Ago at={at} />
                </span>
                <span>
                  {say.switched(from, to)} <span className="quiet fine">{reason}</span>
                </span>
              </li>
            ))}
          </ol>
        )
      }
    </LoadedCard>
  );
}
