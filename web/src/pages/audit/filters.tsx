import { useEffect, useMemo, useState } from "react";
import { useSearchParams } from "wouter";
import { Button } from "../../ui/button.tsx";
import { SelectField, TextField } from "../../ui/form.tsx";
import { PickField } from "../../ui/pick.tsx";
import { audited } from "../../api/audited.ts";
import { useWords } from "../../i18n/i18n.tsx";
import { type Filter, filterOf, names } from "./filter.ts";

const settledMs = 300;

/** The filters, written to the URL after the user stops typing. */
export function useFilter(): Filter {
  const [params] = useSearchParams();
  const address = params.toString();
  const [settled, setSettled] = useState(address);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(address), settledMs);
    return () => clearTimeout(timer);
  }, [address]);
  return useMemo(() => filterOf(new URLSearchParams(settled)), [settled]);
}

export function Filters() {
  const { audit: say } = useWords();
  const [params, setParams] = useSearchParams();
  const of = (name: (typeof names)[number]) => params.get(name) ?? "";
  const set = (name: (typeof names)[number]) => (value: string) =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before);
        if (value === "") next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: true },
    );
  const nouns = [...new Set(audited.map(({ noun }) => noun))];
  const called = (noun: string) => say.nouns[noun] ?? noun.replaceAll("_", " ");
  const actions = audited
    .filter(({ noun }) => of("resource_type") === "" || noun === of("resource_type"))
    .map(({ action, verb, noun }) => ({ value: action, label: say.deed(action, verb, noun) }));
  return (
    <section className="audit-filters" aria-label={say.filters}>
      <SelectField
        label={say.kind}
        value={of("resource_type")}
        onChange={set("resource_type")}
        options={[
          { value: "", label: say.anything },
          ...nouns
            .map((value) => ({ value, label: called(value) }))
            .toSorted((one, other) => one.label.localeCompare(other.label)),
        ]}
      />
      <PickField
        label={say.action}
        value={of("action")}
        onChange={set("action")}
        options={[{ value: "", label: say.anything }, ...actions]}
        placeholder={say.anything}
      />
      <TextField label={say.actor} value={of("actor")} onChange={set("actor")} placeholder={say.actorHint} />
      <TextField label={say.since} type="date" value={of("since")} onChange={set("since")} />
      <TextField label={say.until} type="date" value={of("until")} onChange={set("until")} />
      {names.some((name) => of(name) !== "") && (
        <Button kind="quiet" onPress={() => setParams({}, { replace: true })}>
          {say.clear}
        </Button>
      )}
    </section>
  );
}
