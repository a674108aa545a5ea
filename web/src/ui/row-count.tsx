import { useWords } from "../i18n/i18n.tsx";
import "./row-count.css";

/** How many rows of a list fit what is looked for, beside the fields that say it. */
export function RowCount({ shown, all }: { readonly shown: number; readonly all: number }) {
  const { kit } = useWords();
  return (
    <p className="row-count quiet fine" role="status">
      {kit.rows(shown, all)}
    </p>
  );
}
