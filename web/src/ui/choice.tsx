import { useId } from "react";

interface Choice<V extends string> {
  readonly value: V;
  readonly label: string;
  readonly hint?: string;
}
interface ChoiceProps<V extends string> {
  readonly legend: string;
  readonly value: V;
  readonly onChange: (value: V) => void;
  readonly choices: readonly Choice<V>[];
}

/** A few options, each with an explanation. */
export function ChoiceField<V extends string>({ legend, value, onChange, choices }: ChoiceProps<V>) {
  const name = useId();
  return (
    <fieldset className="stack tight">
      <legend className="strong">{legend}</legend>
      {choices.map((it) => (
        <label key={it.value} className={it.value === value ? "choice chosen" : "choice"}>
          <input type="radio" name={name} checked={it.value === value} onChange={() => onChange(it.value)} />
          <span>
            <span className="strong">{it.label}</span>
            {it.hint && (
              <>
                <br />
                <span className="quiet fine">{it.hint}</span>
              </>
            )}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
