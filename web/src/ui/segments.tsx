import "./segments.css";

interface Props<V extends string> {
  readonly label: string;
  readonly value: V;
  readonly options: readonly { readonly value: V; readonly label: string }[];
  readonly onChange: (value: V) => void;
}

/** One of a few views. */
export function Segments<V extends string>({ label, value, options, onChange }: Props<V>) {
  return (
    <div className="segments" role="group" aria-label={label}>
      {options.map((it) => (
        <button key={it.value} type="button" aria-pressed={it.value === value} onClick={() => onChange(it.value)}>
          {it.label}
        </button>
      ))}
    </div>
  );
}
