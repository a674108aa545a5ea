import type { ReactNode } from "react";
import { type Option, SelectField, TextField } from "../../ui/form.tsx";
import { RowCount } from "../../ui/row-count.tsx";
import type { Belongings } from "../../components/effective-class.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import type { Wanted } from "./finding.ts";

interface Props {
  readonly wanted: Wanted;
  readonly onWant: (part: Partial<Wanted>) => void;
  readonly belongings: Belongings;
  readonly shown: number;
  readonly all: number;
  readonly children: ReactNode;
}

export function Filters({ wanted, onWant, belongings, shown, all, children }: Props) {
  const t = useTranslation().devices;
  const any: Option = { value: "", label: t.filters.any };
  const classes = [...belongings.privacy.values(), ...belongings.trust.values()];
  return (
    <div className="devices-filters">
      <TextField
        type="search"
        label={t.filters.text}
        placeholder={t.filters.textExample}
        value={wanted.text}
        onChange={(text) => onWant({ text })}
      />
      <SelectField
        label={t.filters.class}
        value={wanted.class}
        onChange={(it) => onWant({ class: it })}
        options={[any, ...optionsOf(classes)]}
      />
      <SelectField
        label={t.filters.group}
        value={wanted.group}
        onChange={(group) => onWant({ group })}
        options={[any, ...optionsOf(belongings.groups.values())]}
      />
      <RowCount shown={shown} all={all} />
      {children}
    </div>
  );
}

const optionsOf = (all: Iterable<{ readonly id: string; readonly name: string }>): Option[] =>
  [...all].map(({ id, name }) => ({ value: id, label: name }));
