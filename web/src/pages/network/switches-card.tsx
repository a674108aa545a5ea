import { useQuery } from "@tanstack/react-query";
import { LoadedCard } from "../../ui/page.tsx";
import { Ago } from "../../ui/time.tsx";
import { apiQuery } from "../../api/queries.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { useReason } from "../../i18n/reason.ts";

const maxShown = 12;

/** Changes of the active uplink, with reasons. */
export function SwitchesCard() {
  const { network: t } = useTranslation();
  const why = useReason();
  const query = useQuery({ ...apiQuery("uplinks", "decisions"), refetchInterval: 5000 });
  return (
    <LoadedCard title={t.switches} query={query}>
      {({ switches }) =>
        switches.length === 0 ? (
          <p className="quiet">{t.noSwitches}</p>
        ) : (
          <ol className="network-list">
            {switches.slice(0, maxShown).map(({ at, from, to, ...explained }) => (
              <li key={`${at} ${to}`}>
                <span className="quiet fine">
                  <Ago at={at} />
                </span>
                <span>
                  {t.switched(from, to)} <span className="quiet fine">{why.line(explained)}</span>
                </span>
              </li>
            ))}
          </ol>
        )
      }
    </LoadedCard>
  );
}
