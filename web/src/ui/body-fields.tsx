import { useQuery } from "@tanstack/react-query";
import { isValidElement, type ReactElement } from "react";
import { allRows } from "../api/queries.ts";
import type { FieldName } from "../api/rules.ts";
import { useFormat, useTranslation } from "../i18n/i18n.tsx";
import type { BodyState, Values } from "./body-state.ts";
import { AreaField, type Option, SelectField, SwitchField, TextField } from "./form.tsx";
import { type FieldRule, isOptional, type Typed } from "./form-values.ts";
import { PickField } from "./pick.tsx";
import { TagField } from "./tag-field.tsx";

interface FieldText {
  readonly label: string;
  readonly hint?: string;
  /** The contract allows none, but what is chosen elsewhere in the form needs it: it is not called optional. */
  readonly needed?: boolean;
}
type IsChoice<V> = [V] extends [string] ? (string extends V ? false : true) : false;
type TextOf<V> =
  IsChoice<V> extends true
    ? FieldText & { readonly options: Readonly<Record<V & string, string>> }
    : V extends readonly (infer W)[]
      ? TextOfList<W>
      : string | FieldText;
type TextOfList<W> =
  IsChoice<W> extends true
    ? FieldText & { readonly options: Readonly<Record<W & string, string>> }
    : string | FieldText;

/** The texts of the fields F, in the language of the interface. A choice has a text for each of its values. */
export type FieldTexts<B, F extends FieldName<B>> = { readonly [K in F]: TextOf<NonNullable<B[K]>> };

/** A field; fields side by side; or an input of the page's own. */
export type Item<F extends string> = F | readonly (F | ReactElement | false)[] | ReactElement | false;

/** Of some fields, perhaps depending on what is typed. */
type PerField<B, F extends FieldName<B>, T> =
  | { readonly [K in NoInfer<F>]?: T }
  | ((values: Values<B>) => { readonly [K in NoInfer<F>]?: T });

export interface FieldsProps<B, F extends FieldName<B>> {
  readonly form: BodyState<B>;
  /** Perhaps depending on what is typed. */
  readonly texts: FieldTexts<B, NoInfer<F>> | ((values: Values<B>) => FieldTexts<B, NoInfer<F>>);
  readonly fields: readonly Item<F>[] | ((values: Values<B>, set: BodyState<B>["set"]) => readonly Item<F>[]);
  /** In place of the hints of the texts: for hints that depend on the input. */
  readonly hints?: PerField<B, F, string | undefined>;
  /** Shown in empty inputs; the same in every language. */
  readonly examples?: PerField<B, F, string>;
  /** Choices that the contract does not list, such as the interfaces of the machine. */
  readonly options?: { readonly [K in NoInfer<F>]?: readonly Option[] };
  /** Texts of several lines. */
  readonly areas?: readonly NoInfer<F>[];
  /** Before the names in the gateway's messages: `ranges.0.` */
  readonly prefix?: string;
}

export const itemsOf = <B, F extends FieldName<B>>({ form, fields }: FieldsProps<B, F>): readonly Item<F>[] =>
  typeof fields === "function" ? fields(form.values, form.set) : fields;

export const namesIn = <F extends string>(items: readonly Item<F>[]): F[] =>
  items
    .flatMap((it): readonly (F | ReactElement | false)[] => (Array.isArray(it) ? it : [it as F | ReactElement | false]))
    .filter((it): it is F => typeof it === "string");

/** The inputs of the fields, each of the kind that the contract gives it. */
export function BodyFields<B, F extends FieldName<B>>(props: FieldsProps<B, F> & { readonly focusFirst?: boolean }) {
  const items = itemsOf(props);
  const [firstName] = namesIn(items);
  const one = (it: F | ReactElement | false) =>
    typeof it === "string" ? (
      <OneField
        key={it}
        name={it}
        focused={props.focusFirst === true && it === firstName}
        of={props as unknown as Any}
      />
    ) : (
      it
    );
  return items.map((it) => {
    if (!Array.isArray(it)) return one(it as F | ReactElement | false);
    const row = (it as readonly (F | ReactElement | false)[]).filter((entry) => entry !== false);
    return (
      <div className="grid pair" key={row.map((entry) => (isValidElement(entry) ? entry.key : entry)).join()}>
        {row.map(one)}
      </div>
    );
  });
}

/** Checked at `BodyFields`; below it the names are texts. */
interface Any extends Omit<FieldsProps<Record<string, string>, string>, "texts" | "form" | "fields"> {
  readonly form: BodyState<Record<string, string>>;
  readonly texts: AnyTexts | ((values: Values<Record<string, string>>) => AnyTexts);
}
type AnyTexts = Readonly<
  Record<string, string | (FieldText & { readonly options?: Readonly<Record<string, string>> })>
>;

const perField = <T,>(
  of: T | ((values: Values<Record<string, string>>) => T),
  values: Values<Record<string, string>>,
): T => (typeof of === "function" ? (of as (values: Values<Record<string, string>>) => T)(values) : of);

interface OneProps {
  readonly name: string;
  readonly focused: boolean;
  readonly of: Any;
}

function OneField({ name, focused, of }: OneProps) {
  const { form, options, areas, prefix = "" } = of;
  const hints = perField(of.hints, form.values);
  const examples = perField(of.examples, form.values);
  const { ui } = useTranslation();
  const found = perField(of.texts, form.values)[name]!;
  const text: FieldText & { readonly options?: Readonly<Record<string, string>> } =
    typeof found === "string" ? { label: found } : found;
  const rule = form.rules[name]!;
  const typed = form.typed[name]!;
  const type = (next: Typed) => form.type(name, next);
  const own = hints && name in hints ? hints[name] : text.hint;
  const bounds = useBounds(rule);
  const hint = own ?? (rule.kind === "secret" && isStored(form.stored, name) ? ui.secretKept : bounds);
  const field = { label: text.label, name: prefix + name, ...(hint !== undefined && { hint }) };
  const free = { ...field, optional: isOptional(rule) && text.needed !== true };
  const value = typed as string;
  const chosen = options?.[name];
  if (chosen) return <Choice {...field} value={value} onChange={type} options={chosen} />;
  switch (rule.kind) {
    case "switch":
      return <SwitchField {...field} value={typed === true} onChange={type} />;
    case "choice": {
      const none = rule.nullable ? [{ value: "", label: ui.none }] : [];
      const all = (rule.values ?? []).map((it) => ({ value: it, label: text.options?.[it] ?? it }));
      return <SelectField {...field} value={value} onChange={type} options={[...none, ...all]} />;
    }
    case "reference":
      return <ReferenceField {...{ field, rule, value, type }} />;
    case "references":
      return <ReferencesField {...{ rule, type }} label={text.label} values={typed as readonly string[]} />;
    case "choices": {
      const entries = (rule.values ?? []).map((it) => ({ value: it, label: text.options?.[it] ?? it }));
      return <Switches {...{ entries, type }} label={text.label} values={typed as readonly string[]} />;
    }
    case "list":
      return (
        <TagField
          {...free}
          values={typed as readonly string[]}
          onChange={type}
          placeholder={examples?.[name]}
          autoFocus={focused}
        />
      );
    case "number":
    case "text":
    case "secret":
    case "time":
      return areas?.includes(name) ? (
        <AreaField {...free} value={value} onChange={type} />
      ) : (
        <TextField
          {...free}
          {...inputOf(rule)}
          {...(rule.unit && { unit: ui.units[rule.unit] })}
          {...(examples?.[name] !== undefined && { placeholder: examples[name] })}
          value={value}
          onChange={type}
          autoFocus={focused}
        />
      );
    case "rows":
      return null;
  }
}

const isStored = (stored: object | undefined, secret: string): boolean =>
  (stored as Readonly<Record<string, unknown>> | undefined)?.[`has_${secret}`] === true;

/** "1 to 65,535", where nothing else explains a number. */
function useBounds({ kind, min, max }: FieldRule): string | undefined {
  const { ui } = useTranslation();
  const format = useFormat();
  if (kind !== "number" || min === undefined || max === undefined) return undefined;
  return ui.bounds(format.number(min), format.number(max));
}

function inputOf({ kind, min, max }: FieldRule) {
  if (kind === "number")
    return { type: "number" as const, ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
  if (kind === "secret") return { type: "password" as const, autoComplete: "new-password" as const };
  return kind === "time" ? { type: "datetime-local" as const } : {};
}

interface ReferenceProps {
  readonly field: { readonly label: string; readonly name: string; readonly hint?: string };
  readonly rule: FieldRule;
  readonly value: string;
  readonly type: (typed: string) => void;
}

/** The entries by name. */
function ReferenceField({ field, rule, value, type }: ReferenceProps) {
  const { ui } = useTranslation();
  const entries = useEntries(rule);
  const none = rule.nullable || value === "" ? [{ value: "", label: rule.nullable ? ui.none : "" }] : [];
  return <Choice {...field} value={value} onChange={type} options={[...none, ...entries]} />;
}

const maxInMenu = 20;

/** A menu. Above a size that is still easy to read, the options are searched. */
function Choice(props: Parameters<typeof PickField>[0]) {
  const Chooser = props.options.length > maxInMenu ? PickField : SelectField;
  return <Chooser {...props} />;
}

interface ReferencesProps {
  readonly label: string;
  readonly rule: FieldRule;
  readonly values: readonly string[];
  readonly type: (typed: readonly string[]) => void;
}

/** A switch for each entry; nothing while there is none. */
function ReferencesField({ rule, ...props }: ReferencesProps) {
  const entries = useEntries(rule);
  return entries.length === 0 ? null : <Switches {...props} entries={entries} />;
}

function Switches({ label, entries, values, type }: Omit<ReferencesProps, "rule"> & { readonly entries: Option[] }) {
  return (
    <fieldset className="stack tight">
      <legend className="fine strong">{label}</legend>
      <div className="grid small">
        {entries.map((it) => (
          <SwitchField
            key={it.value}
            label={it.label}
            value={values.includes(it.value)}
            onChange={(isOn) => type(isOn ? [...values, it.value] : values.filter((id) => id !== it.value))}
          />
        ))}
      </div>
    </fieldset>
  );
}

function useEntries({ of }: FieldRule): Option[] {
  const { data = [] } = useQuery(allRows(of!, "list" as never));
  return (data as readonly { readonly id: string; readonly name: string }[]).map(({ id, name }) => ({
    value: id,
    label: name,
  }));
}
