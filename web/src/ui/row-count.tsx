import { useTranslation } from "../i18n/i18n.tsx";
import "./row-count.css";

/** The number of matching rows, beside the filters. */
export function RowCount({ shown, all }: { readonly shown: number; readonly all: number }) {
  const { ui } = useTranslation();
  return (
    <p className="row-count quiet fine" role="status">
      {ui.rows(shown, all)}
    </p>
  );
}
