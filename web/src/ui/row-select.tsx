import { type Needs, useMay } from "../api/session.tsx";

interface Props<V extends string> {
  /** For screen readers: what is selected, with the name of the row. */
  readonly label: string;
  readonly value: V;
  readonly options: readonly { readonly value: V; readonly label: string }[];
  readonly onChange: (value: V) => void;
  readonly needs: Needs;
  readonly busy?: boolean;
}

/** A selection in a row with a label. Without the permission it shows the value as text. */
export function RowSelect<V extends string>({ label, value, options, onChange, needs, busy = false }: Props<V>) {
  const may = useMay();
  if (!may(needs)) return <span>{options.find((it) => it.value === value)?.label}</span>;
  return (
    <select
      className="input row-select"
      aria-label={label}
      value={value}
      disabled={busy}
      onChange={({ target }) => onChange(target.value as V)}
    >
      {options.map((it) => (
        <option key={it.value} value={it.value}>
          {it.label}
        </option>
      ))}
    </select>
  );
}
