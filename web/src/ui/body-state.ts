import { useState } from "react";
import type { BodyRules, FieldName, Rules, Unit } from "../api/rules.ts";
import { useTranslation } from "../i18n/i18n.tsx";
import {
  type FieldRule,
  faultOf,
  sameTyped,
  shownIn,
  type Typed,
  typedOf,
  type Value,
  valueOf,
} from "./form-values.ts";

export type Values<B> = { readonly [F in FieldName<B>]?: B[F] };

interface Options<B> {
  /** The entry that is edited: only what differs from it is sent. Absent: everything that is shown is sent. */
  readonly stored?: object | undefined;
  /** Values of a new entry, in place of the gateway's defaults. */
  readonly first?: Partial<Values<B>>;
  /** Fields whose number is shown in a longer unit. */
  readonly units?: { readonly [F in FieldName<B>]?: Unit };
}

/** The state of a form that is generated from the rules of a request body. */
export interface BodyState<B> {
  readonly rules: Readonly<Record<string, FieldRule>>;
  readonly typed: Readonly<Record<string, Typed>>;
  /** What would be sent now. */
  readonly values: Values<B>;
  readonly set: (part: Partial<Values<B>>) => void;
  readonly type: (field: string, typed: Typed) => void;
  /** Whether there is something to save. */
  readonly dirty: boolean;
  readonly stored: object | undefined;
  /** Mistakes, from the first attempt to save on. */
  readonly faults: Readonly<Record<string, string>>;
  /** Checks these fields. Returns the request, or undefined if a field has a mistake. */
  readonly submit: (shown: readonly string[]) => Partial<B> | undefined;
}

export function useBody<B>(rules: BodyRules<B>, { stored, first, units = {} }: Options<B> = {}): BodyState<B> {
  const { ui, forms } = useTranslation();
  // The entry may change while the form is open: what is sent differs from what was shown at first.
  const [start] = useState(() => {
    const inUnits = rulesIn(rules as Rules, units);
    return { rules: inUnits, typed: typedFrom(inUnits, { ...first, ...stored }) };
  });
  const [typed, setTyped] = useState(start.typed);
  const [checked, setChecked] = useState<readonly string[]>([]);
  /** Fields with an input of the page's own, which the form does not list. */
  const [given, setGiven] = useState<readonly string[]>([]);
  const changed = Object.keys(typed).filter((it) => !sameTyped(typed[it]!, start.typed[it]!));
  const values = Object.fromEntries(Object.entries(start.rules).map(([it, rule]) => [it, valueOf(rule, typed[it]!)]));
  const faultsIn = (fields: readonly string[]) =>
    Object.fromEntries(
      fields.flatMap((it) => {
        const rule = start.rules[it]!;
        // A secret that is stored is kept if its input is empty; another field that cannot be empty cannot be cleared.
        const isKept = stored !== undefined && rule.kind === "secret" && typed[it] === "";
        const isCleared = stored !== undefined && changed.includes(it) && values[it] === undefined;
        const fault = isKept
          ? undefined
          : isCleared
            ? ui.errors.missing
            : faultOf(rule, typed[it]!, { errors: ui.errors, forms });
        return fault === undefined ? [] : [[it, fault]];
      }),
    );
  return {
    ...start,
    stored,
    typed,
    values: values as Values<B>,
    dirty: changed.length > 0,
    faults: faultsIn(checked),
    type: (field, text) => setTyped((all) => ({ ...all, [field]: text })),
    set: (part) => {
      setTyped((all) => ({ ...all, ...typedFrom(pick(start.rules, Object.keys(part)), part) }));
      setGiven((all) => [...new Set([...all, ...Object.keys(part)])]);
    },
    submit: (shown) => {
      setChecked(shown);
      if (Object.keys(faultsIn(shown)).length > 0) return undefined;
      // What was typed into a field that is hidden now belongs to another choice, and is not sent.
      const offered = [...shown, ...Object.keys(first ?? {}), ...given];
      const sent = stored === undefined ? offered : changed.filter((it) => offered.includes(it));
      const entries = sent.map((it) => [it, values[it]] as const).filter(([, value]) => value !== undefined);
      return Object.fromEntries(entries) as Partial<B>;
    },
  };
}

const rulesIn = (rules: Rules, units: Readonly<Record<string, Unit | undefined>>): Record<string, FieldRule> =>
  Object.fromEntries(
    Object.entries(rules).map(([field, rule]) => {
      const unit = units[field];
      return [field, unit === undefined ? rule : shownIn(rule, unit)];
    }),
  );

const typedFrom = (rules: Readonly<Record<string, FieldRule>>, values: object): Record<string, Typed> =>
  Object.fromEntries(
    Object.entries(rules).map(([field, rule]) => [
      field,
      typedOf(rule, (values as Readonly<Record<string, Value | undefined>>)[field] ?? rule.initial),
    ]),
  );

const pick = (rules: Readonly<Record<string, FieldRule>>, fields: readonly string[]): Record<string, FieldRule> =>
  Object.fromEntries(fields.filter((it) => it in rules).map((it) => [it, rules[it]!]));
