import { Problem } from "@portcullis/contract/problem";
import {
  createContext,
  type FormEvent,
  type HTMLInputAutoCompleteAttribute,
  type ReactNode,
  useContext,
  useId,
} from "react";
import { useTranslation } from "../i18n/i18n.tsx";
import { errorsOf, errorText, summaryOf } from "./form-errors.ts";
import { ProblemText } from "./problem.tsx";

/** Messages by field from the gateway. */
const FormErrors = createContext<Readonly<Record<string, string>>>({});

interface FormProps {
  readonly onSubmit: () => void;
  /** The problem of the last attempt. */
  readonly problem?: Error | null;
  /** Mistakes by field that were found before anything was sent. */
  readonly faults?: Readonly<Record<string, string>>;
  readonly buttons?: ReactNode;
  readonly children: ReactNode;
}

/** The gateway validates the request; messages about a field are shown at the field, others above the buttons. */
export function Form({ onSubmit, problem, faults, buttons, children }: FormProps) {
  const { ui } = useTranslation();
  const summary = summaryOf(problem, ui.errors);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    onSubmit();
  };
  return (
    <form className="stack" onSubmit={submit} noValidate>
      <FormErrors value={{ ...errorsOf(problem), ...faults }}>{children}</FormErrors>
      {problem && <ProblemText problem={summary === undefined ? problem : reworded(problem, summary)} />}
      {buttons && <footer className="form-ends">{buttons}</footer>}
    </form>
  );
}

/** The same problem, reworded. */
const reworded = (problem: Error, message: string): Error =>
  problem instanceof Problem ? new Problem(problem.code, problem.details, { message }) : problem;

export interface FieldProps {
  readonly label: string;
  readonly hint?: string;
  /** Name of the field in the request: the gateway's messages about it are shown here. */
  readonly name?: string;
  readonly optional?: boolean;
  /** Shown behind the input. */
  readonly unit?: string;
}

interface Described {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": true | undefined;
}

/** Label, hint and error around any control. */
export function Field({
  label,
  hint,
  name,
  optional,
  unit,
  children,
}: FieldProps & { readonly children: (props: Described) => ReactNode }) {
  const { ui } = useTranslation();
  const id = useId();
  const error = useError(name);
  const described = [unit && `${id}-unit`, hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ");
  const control = children({
    id,
    "aria-describedby": described || undefined,
    "aria-invalid": error ? true : undefined,
  });
  return (
    <div className="field">
      <label htmlFor={id}>
        {label} {optional && <span className="quiet">({ui.optional})</span>}
      </label>
      {unit ? (
        <span className="with-unit">
          {control}
          <span className="quiet" id={`${id}-unit`}>
            {unit}
          </span>
        </span>
      ) : (
        control
      )}
      {hint && (
        <span className="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {error && (
        <span className="error" id={`${id}-error`}>
          {error}
        </span>
      )}
    </div>
  );
}

/** What is wrong with a field, in words. */
function useError(name: string | undefined): string | undefined {
  const { ui } = useTranslation();
  const message = useContext(FormErrors)[name ?? ""];
  return message === undefined ? undefined : errorText(message, ui.errors);
}

interface TextProps extends FieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly type?: "text" | "password" | "search" | "url" | "number" | "date" | "datetime-local";
  readonly placeholder?: string;
  readonly autoComplete?: HTMLInputAutoCompleteAttribute;
  readonly autoFocus?: boolean;
  readonly min?: number;
  readonly max?: number;
}

export function TextField({
  value,
  onChange,
  type = "text",
  placeholder,
  autoComplete = "off",
  autoFocus,
  min,
  max,
  ...field
}: TextProps) {
  return (
    <Field {...field}>
      {(described) => (
        <input
          {...described}
          className="input"
          {...{ type, value, placeholder, autoComplete, min, max }}
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- the first field of a dialog is where the user types
          autoFocus={autoFocus}
          // Marks the initial focus of a dialog, which would otherwise be its close button.
          data-autofocus={autoFocus || undefined}
          spellCheck={false}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}

export function AreaField({ value, onChange, placeholder, ...field }: Omit<TextProps, "type">) {
  return (
    <Field {...field}>
      {(described) => (
        <textarea
          {...described}
          className="input"
          {...{ value, placeholder }}
          spellCheck={false}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}

export interface Option<V extends string = string> {
  readonly value: V;
  readonly label: string;
}
interface SelectProps<V extends string> extends FieldProps {
  readonly value: V;
  readonly onChange: (value: V) => void;
  readonly options: readonly Option<V>[];
}

/** For a few options; for many, `PickField`. */
export function SelectField<V extends string>({ value, onChange, options, ...field }: SelectProps<V>) {
  return (
    <Field {...field}>
      {(described) => (
        <select {...described} className="input" value={value} onChange={({ target }) => onChange(target.value as V)}>
          {options.map((it) => (
            <option key={it.value} value={it.value}>
              {it.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface SwitchProps extends Pick<FieldProps, "label" | "hint" | "name"> {
  readonly value: boolean;
  readonly onChange: (value: boolean) => void;
  readonly disabled?: boolean;
}

export function SwitchField({ label, hint, name, value, onChange, disabled }: SwitchProps) {
  const id = useId();
  const error = useError(name);
  return (
    <label className="switch">
      <input
        type="checkbox"
        role="switch"
        checked={value}
        disabled={disabled}
        aria-describedby={[hint && id, error && `${id}-error`].filter(Boolean).join(" ") || undefined}
        aria-invalid={error ? true : undefined}
        onChange={({ target }) => onChange(target.checked)}
      />
      <span>
        {label}
        {hint && (
          <span className="quiet fine" id={id}>
            <br />
            {hint}
          </span>
        )}
        {error && (
          <span className="error fine" id={`${id}-error`}>
            <br />
            {error}
          </span>
        )}
      </span>
    </label>
  );
}
