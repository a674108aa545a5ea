import { Count, Counts } from "../../ui/counts.tsx";
import { State, type StateName } from "../../ui/state.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";
import type { Counts as Known, Wanted } from "./finding.ts";

interface Props {
  readonly counts: Known;
  /** Number of devices that are online; undefined: not known. */
  readonly online: number | undefined;
  readonly wanted: Wanted;
  readonly onWant: (part: Partial<Wanted>) => void;
}

/** Counts by posture and by state, which filter the list. */
export function CountFilters({ counts, online, wanted, onWant }: Props) {
  const t = useTranslation().devices;
  const postures = shownStates.filter((it) => always.has(it) || counts.deviceState[it] > 0 || wanted.posture === it);
  return (
    <Counts label={t.countsLabel} small>
      {online !== undefined && (
        <Count count={online} value="yes" wanted={wanted.online} onWant={(it) => onWant({ online: it })}>
          <span className="devices-online">{t.isOnline}</span>
        </Count>
      )}
      {postures.map((it) => (
        <Count
          key={it}
          count={counts.deviceState[it]}
          value={it}
          wanted={wanted.posture}
          onWant={(posture) => onWant({ posture })}
        >
          <State state={it} />
        </Count>
      ))}
      {(["known", "new", "quarantined"] as const).map((it) => (
        <Count key={it} count={counts.state[it]} value={it} wanted={wanted.state} onWant={(state) => onWant({ state })}>
          <span className="quiet">{t.states[it]}</span>
        </Count>
      ))}
    </Counts>
  );
}

const shownStates: readonly StateName[] = ["protected", "blocked", "direct", "leaking", "unknown"];
const always: ReadonlySet<StateName> = new Set(["protected", "blocked", "direct"]);
