import { type ClipboardEvent, type KeyboardEvent, useRef, useState } from "react";
import { useTranslation } from "../i18n/i18n.tsx";
import { Field, type FieldProps } from "./form.tsx";
import { Icon } from "./icon.tsx";

interface Props extends FieldProps {
  readonly values: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
  readonly placeholder?: string | undefined;
  readonly autoFocus?: boolean;
}

/** A list of short texts. Enter, a comma, a blank and leaving the input add what is typed; Backspace in the empty input removes the last. */
export function TagField({ values, onChange, placeholder, autoFocus, ...field }: Props) {
  const { ui } = useTranslation();
  const [typed, setTyped] = useState("");
  const input = useRef<HTMLInputElement>(null);
  const add = (text: string) => {
    const all = [...new Set([...values, ...wordsIn(text)])];
    if (all.length > values.length) onChange(all);
    setTyped("");
  };
  const removeAt = (at: number) => {
    onChange(values.toSpliced(at, 1));
    // The button that was pressed is gone.
    input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const isEnd = event.key === "Enter" || event.key === "," || event.key === ";" || event.key === " ";
    if (isEnd && typed.trim() !== "") {
      event.preventDefault();
      add(typed);
    } else if (event.key === "Backspace" && typed === "" && values.length > 0) removeAt(values.length - 1);
  };
  const onPaste = (event: ClipboardEvent) => {
    const text = event.clipboardData.getData("text");
    if (wordsIn(text).length < 2) return;
    event.preventDefault();
    add(typed + text);
  };
  return (
    <Field {...field}>
      {(described) => (
        <div className="tags">
          {values.length > 0 && (
            <ul aria-label={field.label}>
              {values.map((value, at) => (
                <li key={value} className="tag">
                  {value}
                  <button
                    type="button"
                    aria-label={ui.removeOne(value)}
                    title={ui.removeOne(value)}
                    onClick={() => removeAt(at)}
                  >
                    <Icon name="close" />
                  </button>
                </li>
              ))}
            </ul>
          )}
          <input
            {...described}
            ref={input}
            className="input"
            value={typed}
            placeholder={values.length === 0 ? placeholder : undefined}
            autoComplete="off"
            spellCheck={false}
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- the first field of a dialog is where the user types
            autoFocus={autoFocus}
            data-autofocus={autoFocus || undefined}
            onChange={({ target }) => setTyped(target.value)}
            onBlur={() => add(typed)}
            {...{ onKeyDown, onPaste }}
          />
        </div>
      )}
    </Field>
  );
}

const wordsIn = (text: string): string[] => text.split(/[\s,;]+/).filter((it) => it !== "");
