import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useSearchParams } from "wouter";
import { Button } from "../../ui/button.tsx";
import { Form, SelectField, TextField } from "../../ui/form.tsx";
import { Card } from "../../ui/page.tsx";
import { PickField } from "../../ui/pick.tsx";
import { allRows } from "../../api/queries.ts";
import { useNames } from "../../components/names.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { Answer } from "./answer.tsx";
import { type PacketParams, evaluationRequest } from "./evaluation-request.ts";
import { usePolicies } from "./policy-queries.ts";

/** Source, destination and name of a packet: its path, and why. */
export function Explain() {
  const t = useTranslation().routing.explanation;
  const [params, setParams] = useSearchParams();
  const packet: PacketParams = {
    from: params.get("from") ?? "",
    to: params.get("to") ?? "",
    name: params.get("name") ?? "",
    staged: params.get("of") === "staged",
    down: params.getAll("down"),
  };
  const submit = ({ from, to, name, staged, down }: PacketParams) =>
    setParams((before) => {
      const next = new URLSearchParams(before);
      for (const key of ["from", "to", "name", "of", "down"]) next.delete(key);
      const words = { from, to, name, of: staged ? "staged" : "" };
      for (const [key, value] of Object.entries(words)) if (value !== "") next.set(key, value);
      for (const target of down) next.append("down", target);
      return next;
    });
  const devices = useQuery({ ...allRows("devices", "list"), staleTime: 30_000 }).data;
  const ids = useMemo(() => new Set(devices?.map(({ id }) => id)), [devices]);
  const nameOf = useNames();
  return (
    <div className="stack">
      <Card title={t.title}>
        <PacketForm key={params.toString()} packet={packet} onSubmit={submit} />
      </Card>
      {packet.from !== "" && devices ? (
        <Answer request={evaluationRequest(packet, ids)} who={nameOf(packet.from)} down={packet.down} />
      ) : (
        <Card title={t.answer}>
          <p className="quiet">{t.noInput}</p>
        </Card>
      )}
    </div>
  );
}

function PacketForm({
  packet,
  onSubmit,
}: {
  readonly packet: PacketParams;
  readonly onSubmit: (packet: PacketParams) => void;
}) {
  const t = useTranslation().routing.explanation;
  const [draft, setDraft] = useState(packet);
  const set = (change: Partial<PacketParams>) => setDraft((was) => ({ ...was, ...change }));
  const devices = useQuery({ ...allRows("devices", "list"), staleTime: 30_000 }).data;
  const options = useMemo(() => (devices ?? []).map(({ id, name }) => ({ value: id, label: name })), [devices]);
  return (
    <Form onSubmit={() => onSubmit(draft)}>
      <div className="routing-pair">
        <PickField
          free
          label={t.from}
          hint={t.fromHint}
          value={draft.from}
          options={options}
          onChange={(from) => set({ from })}
        />
        <TextField
          label={t.to}
          hint={t.toHint}
          optional
          placeholder="203.0.113.7"
          value={draft.to}
          onChange={(to) => set({ to })}
        />
        <TextField
          label={t.name}
          hint={t.nameHint}
          optional
          placeholder="example.org"
          value={draft.name}
          onChange={(name) => set({ name })}
        />
        <SelectField
          label={t.state}
          value={draft.staged ? "staged" : "running"}
          options={[
            { value: "running", label: t.states.running },
            { value: "staged", label: t.states.staged },
          ]}
          onChange={(of) => set({ staged: of === "staged" })}
        />
      </div>
      <DownField down={draft.down} onChange={(down) => set({ down })} />
      <div>
        <Button kind="main" type="submit" disabled={draft.from.trim() === ""}>
          {t.submit}
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
  const t = useTranslation().routing.explanation;
  const nameOf = useNames();
  const policies = usePolicies().data;
  const profiles = useQuery({ ...allRows("profiles", "list"), staleTime: 30_000 }).data;
  const targets = useMemo(() => {
    const all = [...(policies ?? []), ...(profiles ?? [])].flatMap(({ hops }) => hops.map(({ target }) => target));
    return [...new Map([...all, ...down].map((target) => [nameOf(target), target])).values()];
  }, [policies, profiles, nameOf, down]);
  return (
    <fieldset className="stack tight">
      <legend className="fine strong">{t.down}</legend>
      {targets.length === 0 && <p className="quiet fine">{t.noHops}</p>}
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
