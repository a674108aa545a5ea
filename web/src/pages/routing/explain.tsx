import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useSearchParams } from "wouter";
import { Button } from "../../ui/button.tsx";
import { Form, SelectField, TextField } from "../../ui/form.tsx";
import { Card } from "../../ui/page.tsx";
import { PickField } from "../../ui/pick.tsx";
import { everyRow } from "../../api/reading.ts";
import { useNames } from "../../components/names.ts";
import { useWords } from "../../i18n/i18n.tsx";
import { Answer } from "./answer.tsx";
import { type Asked, questionOf } from "./question.ts";
import { usePolicies } from "./readings.ts";

/** Source, destination and name of a packet: its path, and why. */
export function Explain() {
  const say = useWords().routing.asking;
  const [params, setParams] = useSearchParams();
  const asked: Asked = {
    from: params.get("from") ?? "",
    to: params.get("to") ?? "",
    name: params.get("name") ?? "",
    staged: params.get("of") === "staged",
    down: params.getAll("down"),
  };
  const ask = ({ from, to, name, staged, down }: Asked) =>
    setParams((before) => {
      const next = new URLSearchParams(before);
      for (const key of ["from", "to", "name", "of", "down"]) next.delete(key);
      const words = { from, to, name, of: staged ? "staged" : "" };
      for (const [key, value] of Object.entries(words)) if (value !== "") next.set(key, value);
      for (const target of down) next.append("down", target);
      return next;
    });
  const devices = useQuery({ ...everyRow("devices", "list"), staleTime: 30_000 }).data;
  const ids = useMemo(() => new Set(devices?.map(({ id }) => id)), [devices]);
  const nameOf = useNames();
  return (
    <div className="stack">
      <Card title={say.title}>
        <Question key={params.toString()} asked={asked} onAsk={ask} />
      </Card>
      {asked.from !== "" && devices ? (
        <Answer question={questionOf(asked, ids)} who={nameOf(asked.from)} down={asked.down} />
      ) : (
        <Card title={say.answer}>
          <p className="quiet">{say.askFirst}</p>
        </Card>
      )}
    </div>
  );
}

function Question({ asked, onAsk }: { readonly asked: Asked; readonly onAsk: (asked: Asked) => void }) {
  const say = useWords().routing.asking;
  const [draft, setDraft] = useState(asked);
  const set = (change: Partial<Asked>) => setDraft((was) => ({ ...was, ...change }));
  const devices = useQuery({ ...everyRow("devices", "list"), staleTime: 30_000 }).data;
  const options = useMemo(() => (devices ?? []).map(({ id, name }) => ({ value: id, label: name })), [devices]);
  return (
    <Form onSubmit={() => onAsk(draft)}>
      <div className="routing-pair">
        <PickField
          free
          label={say.from}
          hint={say.fromHint}
          value={draft.from}
          options={options}
          onChange={(from) => set({ from })}
        />
        <TextField
          label={say.to}
          hint={say.toHint}
          optional
          placeholder="203.0.113.7"
          value={draft.to}
          onChange={(to) => set({ to })}
        />
        <TextField
          label={say.name}
          hint={say.nameHint}
          optional
          placeholder="example.org"
          value={draft.name}
          onChange={(name) => set({ name })}
        />
        <SelectField
          label={say.state}
          value={draft.staged ? "staged" : "running"}
          options={[
            { value: "running", label: say.states.running },
            { value: "staged", label: say.states.staged },
          ]}
          onChange={(of) => set({ staged: of === "staged" })}
        />
      </div>
      <DownField down={draft.down} onChange={(down) => set({ down })} />
      <div>
        <Button kind="main" type="submit" disabled={draft.from.trim() === ""}>
          {say.ask}
        </Button>
      </div>
    </Form>
  );
}

interface DownProps {
  readonly down: readonly string[];
  readonly onChange: (down: readonly string[]) => void;
}

/** Simulation: every hop of a policy or profile. */
function DownField({ down, onChange }: DownProps) {
  const say = useWords().routing.asking;
  const nameOf = useNames();
  const policies = usePolicies().data;
  const profiles = useQuery({ ...everyRow("profiles", "list"), staleTime: 30_000 }).data;
  const targets = useMemo(() => {
    const all = [...(policies ?? []), ...(profiles ?? [])].flatMap(({ hops }) => hops.map(({ target }) => target));
    return [...new Map([...all, ...down].map((target) => [nameOf(target), target])).values()];
  }, [policies, profiles, nameOf, down]);
  return (
    <fieldset className="stack tight">
      <legend className="fine strong">{say.down}</legend>
      {targets.length === 0 && <p className="quiet fine">{say.noHops}</p>}
      <div className="row">
        {targets.map((target) => (
          <label key={target} className="routing-choice">
            <input
              type="checkbox"
              checked={down.includes(target)}
              onChange={({ target: { checked } }) =>
                onChange(checked ? [...down, target] : down.filter((it) => it !== target))
              }
            />
            {nameOf(target)}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
