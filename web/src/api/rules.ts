import type { FormName } from "@portcullis/contract/forms";
import { rules } from "virtual:rules";
import type { Operation, Subsystem } from "./gateway.ts";
import type { Body, Stored } from "./queries.ts";

export type Unit = "ms" | "sec" | "min" | "hours" | "days";

/** What a form needs of a field of a request body. The build derives it from the contract (`web/body-table.ts`). */
export interface Rule {
  readonly kind:
    | "text"
    | "secret"
    | "time"
    | "number"
    | "switch"
    | "choice"
    | "choices"
    | "reference"
    | "list"
    | "references"
    | "rows";
  readonly required?: true;
  /** An empty input is sent as null. */
  readonly nullable?: true;
  /** The default of the gateway. */
  readonly initial?: string | number | boolean;
  /** Bounds of a number, of the length of a text, or of the size of a list. */
  readonly min?: number;
  readonly max?: number;
  readonly whole?: true;
  readonly pattern?: string;
  /** The description of the pattern in `contract/src/forms.ts`. */
  readonly form?: FormName;
  readonly values?: readonly string[];
  /** Where the entries of a reference are listed. */
  readonly of?: Stored;
  readonly unit?: Unit;
  /** Of each value of a list. */
  readonly item?: Rule;
  /** Of each row. */
  readonly fields?: Rules;
}
export type Rules = Readonly<Record<string, Rule>>;

/** The fields of a body that a form can offer. */
export type FieldName<B> = {
  [F in keyof B]-?: NonNullable<B[F]> extends string | number | boolean | readonly string[] ? F : never;
}[keyof B] &
  string;

export type BodyRules<B> = { readonly [F in FieldName<B>]: Rule };

/** `rulesOf("devices", "create")` */
export const rulesOf = <S extends Subsystem, N extends Operation<S>>(
  subsystem: S,
  operation: N,
): BodyRules<Body<S, N>> => rules[subsystem]![operation]! as unknown as BodyRules<Body<S, N>>;

type RowOf<B, F extends keyof B> = NonNullable<B[F]> extends readonly (infer Row)[] ? Row : never;

/** The same for the rows of a body that is a list: `rowRulesOf("dhcp", "put", "ranges")`. */
export const rowRulesOf = <S extends Subsystem, N extends Operation<S>, F extends keyof Body<S, N> & string>(
  subsystem: S,
  operation: N,
  field: F,
): BodyRules<RowOf<Body<S, N>, F>> => rules[subsystem]![operation]![field]!.fields as BodyRules<RowOf<Body<S, N>, F>>;
