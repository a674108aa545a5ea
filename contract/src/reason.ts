import { englishReasons, type ReasonCode, type ReasonParam, reasons } from "./reasons.ts";

/** Why something is as it is: a code of the registry with its parameters. A parameter can be a reason itself. */
export type Reason = { readonly [C in ReasonCode]: ReasonOf<C> }[ReasonCode];

interface ReasonOf<C extends ReasonCode> {
  readonly code: C;
  readonly params: ParamsOf<C>;
}

type ParamsOf<C extends ReasonCode> = (typeof reasons)[C] extends { readonly params: infer Kinds }
  ? { readonly [Name in keyof Kinds]: Values[Kinds[Name] & ReasonParam] }
  : Readonly<Record<never, never>>;

/** The kinds of parameters, with the type of their values. */
interface Values extends Readonly<Record<ReasonParam, unknown>> {
  /** Shown as it is: a name, an address, or the message of a program. */
  readonly text: string;
  readonly texts: readonly string[];
  readonly number: number;
  /** A duration in milliseconds. */
  readonly ms: number;
  /** RFC 3339. */
  readonly time: string;
  readonly reason: Reason;
  readonly reasons: readonly Reason[];
}

/** The texts of one language, and how it writes values. */
export interface ReasonLanguage {
  readonly texts: Readonly<Record<ReasonCode, string>>;
  readonly number: (value: number) => string;
  readonly ms: (value: number) => string;
  readonly time: (value: string) => string;
}

/** `because("link_answers_again", { after_ms: 1500 })` */
export function because<C extends ReasonCode>(
  code: C,
  ...args: keyof ParamsOf<C> extends never ? [] : [params: ParamsOf<C>]
): Reason {
  const [params = {}]: readonly unknown[] = args;
  return { code, params } as Reason; // The signature has checked the parameters.
}

/** The message of a program, or of the kernel, which has no code. */
export const reported = (message: string): Reason => because("reported", { message });

/** A reason in the two forms of the API: a sentence in English, and its code with parameters. */
export interface Explained<R extends Reason | null = Reason | null> {
  readonly reason: string;
  readonly coded_reason: R;
}

/** A command, an address or another value that is the same in every language. */
export const literal = (text: string): Reason => because("literal", { text });

/** Every `reason` of the API is made by this function, so that the sentence and the code agree. null: there is none. */
export const explained = <R extends Reason | null>(reason: R): Explained<R> => ({
  reason: reason === null ? "" : sentence(reason),
  coded_reason: reason,
});

/** The same for another field: `message` and `coded_message`. */
export const explainedAs = <F extends string, R extends Reason | null>(field: F, reason: R) =>
  ({ [field]: explained(reason).reason, [`coded_${field}`]: reason }) as Field<F, string> & Field<`coded_${F}`, R>;

/** The same for a list of sentences. */
export const explainedAll = <F extends string>(field: F, all: readonly Reason[]) =>
  ({ [field]: all.map((it) => sentence(it)), [`coded_${field}`]: [...all] }) as Field<F, string[]> &
    Field<`coded_${F}`, Reason[]>;

/** The same for a value that is no sentence of its own: it begins in lower case. null: there is none. */
export const valueAs = <F extends string, R extends Reason | null>(field: F, value: R) =>
  ({ [field]: value && clause(value), [`coded_${field}`]: value }) as Field<F, R extends null ? null : string> &
    Field<`coded_${F}`, R>;

type Field<F extends string, V> = { readonly [K in F]: V };

/** The same for the fields that report why nothing is enforced; null: policies are enforced. */
export const whyNotEnforced = (reason: Reason | null) => ({
  not_enforced: reason && sentence(reason),
  coded_not_enforced: reason,
});

/** Without a full stop. It begins with a capital unless its first word is a parameter. */
export const sentence = (reason: Reason, language: ReasonLanguage = english): string => written(reason, language, true);

/** The same for the middle of a sentence. */
export const clause = (reason: Reason, language: ReasonLanguage = english): string => written(reason, language, false);

/** Whether a value, such as one from a file or from another version, is a reason that this version can write. */
export function isReason(value: unknown): value is Reason {
  if (typeof value !== "object" || value === null) return false;
  const { code, params } = value as { code?: unknown; params?: unknown };
  if (typeof code !== "string" || !Object.hasOwn(reasons, code)) return false;
  if (typeof params !== "object" || params === null) return false;
  return Object.entries(kindsOf(code as ReasonCode)).every(([name, kind]) =>
    isOfKind((params as Record<string, unknown>)[name], kind),
  );
}

/** The names of the parameters in a text, in alphabetical order. */
export const paramsIn = (text: string): string[] =>
  [...text.matchAll(placeholders)].map(([, name]) => name!).toSorted();

const placeholders = /\{(\w+)\}/g;

const english: ReasonLanguage = {
  texts: englishReasons,
  number: String,
  ms: (value) => `${(value / 1000).toFixed(value < 10_000 ? 1 : 0)} s`,
  time: (value) => value,
};

const kindsOf = (code: ReasonCode): Readonly<Record<string, ReasonParam>> => {
  const { params = {} }: { readonly text: string; readonly params?: Readonly<Record<string, ReasonParam>> } =
    reasons[code];
  return params;
};

function written({ code, params }: Reason, language: ReasonLanguage, isFirst: boolean): string {
  const template = language.texts[code];
  const kinds = kindsOf(code);
  const values: Readonly<Record<string, unknown>> = params;
  const text = template.replaceAll(placeholders, (_, name: string, offset: number) =>
    writtenValue(values[name], kinds[name]!, language, isFirst && offset === 0),
  );
  return isFirst && !template.startsWith("{") ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}

function writtenValue(value: unknown, kind: ReasonParam, language: ReasonLanguage, isFirst: boolean): string {
  switch (kind) {
    case "text":
      return value as string;
    case "texts":
      return (value as readonly string[]).join(", ");
    case "reason":
      return written(value as Reason, language, isFirst);
    case "reasons":
      return (value as readonly Reason[]).map((it, at) => written(it, language, isFirst && at === 0)).join("; ");
    case "number":
    case "ms":
      return language[kind](value as number);
    case "time":
      return language.time(value as string);
  }
}

function isOfKind(value: unknown, kind: ReasonParam): boolean {
  switch (kind) {
    case "text":
    case "time":
      return typeof value === "string";
    case "texts":
      return Array.isArray(value) && value.every((it) => typeof it === "string");
    case "reason":
      return isReason(value);
    case "reasons":
      return Array.isArray(value) && value.every(isReason);
    case "number":
    case "ms":
      return typeof value === "number";
  }
}
