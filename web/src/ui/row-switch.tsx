import { type Needs, useMay } from "../api/session.tsx";
import { useTranslation } from "../i18n/i18n.tsx";

interface Props {
  /** For screen readers: what is switched, with the name of the row. */
  readonly label: string;
  readonly value: boolean;
  readonly onChange: (value: boolean) => void;
  readonly needs: Needs;
}

/** A switch in a row with a label. Without the permission it shows the state as text. */
export function RowSwitch({ label, value, onChange, needs }: Props) {
  const { ui } = useTranslation();
  const may = useMay();
  if (!may(needs)) return <span>{value ? ui.on : ui.off}</span>;
  return (
    <span className="switch">
      <input
        type="checkbox"
        role="switch"
        aria-label={label}
        checked={value}
        onChange={({ target }) => onChange(target.checked)}
      />
    </span>
  );
}
