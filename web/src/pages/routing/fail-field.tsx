import type { Policy } from "@portcullis/contract/subsystems/routing";
import { useId } from "react";
import { useTranslation } from "../../i18n/i18n.tsx";

type Fail = Policy["fail_policy"];
/** The safe one first. */
const choices: readonly Fail[] = ["fail-closed", "fail-over", "fail-open"];

interface FailProps {
  readonly value: Fail;
  readonly onChange: (value: Fail) => void;
}

/** The fail policy, with an explanation of each choice. */
export function FailField({ value, onChange }: FailProps) {
  const t = useTranslation().routing.editor;
  const id = useId();
  return (
    <fieldset className="stack tight">
      <legend className="unseen">{t.fails}</legend>
      {choices.map((choice) => (
        <label key={choice} className="routing-choice">
          <input
            type="radio"
            name={id}
            checked={value === choice}
            aria-describedby={`${id}-${choice}`}
            onChange={() => onChange(choice)}
          />
          <span>
            {t.fail[choice].label}
            <br />
            <span className="quiet fine" id={`${id}-${choice}`}>
              {t.fail[choice].hint}
            </span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
