import { useEffect, useMemo, useState } from "react";
import { useSearchParams } from "wouter";
import { Button } from "../../ui/button.tsx";
import { SelectField, TextField } from "../../ui/form.tsx";
import { PickField } from "../../ui/pick.tsx";
import { audited } from "../../api/audited.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { type Filter, filterOf, names } from "./filter.ts";

const debounceMs = 300;

/** The filters, written to the URL after the user stops typing. */
export function useFilter(): Filter {
  const [params] = useSearchParams();
  const address = params.toString();
  const [debounced, setDebounced] = useState(address);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(address), debounceMs);
    return () => clearTimeout(timer);
  }, [address]);
  return useMemo(() => filterOf(new URLSearchParams(debounced)), [debounced]);
}

export function Filters() {
  const { audit: t } = useTranslation();
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
  const called = (noun: string) => t.nouns[noun] ?? noun.replaceAll("_", " ");
  const actions = audited
    .filter(({ noun }) => of("resource_type") === "" || noun === of("resource_type"))
    .map(({ action, verb, noun }) => ({ value: action, label: t.actionLabel(action, verb, noun) }));
  return (
    <section className="audit-filters" aria-label={t.filters}>
      <SelectField
        label={t.kind}
        value={of("resource_type")}
        onChange={set("resource_type")}
        options={[
          { value: "", label: t.anything },
          ...nouns
            .map((value) => ({ value, label: called(value) }))
            .toSorted((one, other) => one.label.localeCompare(other.label)),
        ]}
      />
      <PickField
        label={t.action}
        value={of("action")}
        onChange={set("action")}
        options={[{ value: "", label: t.anything }, ...actions]}
        placeholder={t.anything}
      />
      <TextField label={t.actor} value={of("actor")} onChange={set("actor")} placeholder={t.actorHint} />
      <TextField label={t.since} type="date" value={of("since")} onChange={set("since")} />
      <TextField label={t.until} type="date" value={of("until")} onChange={set("until")} />
      {names.some((name) => of(name) !== "") && (
        <Button kind="quiet" onPress={() => setParams({}, { replace: true })}>
          {t.clear}
        </Button>
      )}
    </section>
  );
}
