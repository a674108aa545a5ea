import { Button } from "../../kit/button.tsx";
import { State, type StateName } from "../../kit/state.tsx";
import { useFormat, useWords } from "../../words/words.tsx";
import type { Counts, Wanted } from "./finding.ts";

interface Props {
  readonly counts: Counts;
  readonly wanted: Wanted;
  readonly onWant: (part: Partial<Wanted>) => void;
}

/** How many stand how. Pressing one narrows the list to them, pressing it again widens it. */
export function CountFilters({ counts, wanted, onWant }: Props) {
  const say = useWords().devices;
  const format = useFormat();
  const postures = shownStates.filter((it) => always.has(it) || counts.standing[it] > 0 || wanted.posture === it);
  const turn = (name: "posture" | "state", value: string) => onWant({ [name]: wanted[name] === value ? "" : value });
  return (
    <div className="devices-counts" role="group" aria-label={say.countsLabel}>
      {postures.map((it) => (
        <Button key={it} aria-pressed={wanted.posture === it} onPress={() => turn("posture", it)}>
          <span className="number">{format.number(counts.standing[it])}</span>
          <State state={it} />
        </Button>
      ))}
      {(["known", "new", "quarantined"] as const).map((it) => (
        <Button key={it} aria-pressed={wanted.state === it} onPress={() => turn("state", it)}>
          <span className="number">{format.number(counts.state[it])}</span>
          <span className="quiet">{say.states[it]}</span>
        </Button>
      ))}
    </div>
  );
}

const shownStates: readonly StateName[] = ["protected", "shut", "direct", "leaking", "unknown"];
const always: ReadonlySet<StateName> = new Set(["protected", "shut", "direct"]);
