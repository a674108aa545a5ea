import { useFormat } from "../../i18n/i18n.tsx";

/** A share as a bar with its number. */
export function ShareBar({ share, note }: { readonly share: number; readonly note?: string }) {
  const format = useFormat();
  return (
    <span className="splitting-share">
      <span className="splitting-bar" aria-hidden="true">
        <span style={{ width: `${Math.round(share * 1000) / 10}%` }} />
      </span>
      <span className="splitting-figure">{format.percent(share)}</span>
      {note && <span className="quiet fine">{note}</span>}
    </span>
  );
}
