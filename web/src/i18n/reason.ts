import {
  clause,
  type Explained,
  isReason,
  type Reason,
  type ReasonLanguage,
  sentence,
} from "@portcullis/contract/reason";
import { useMemo } from "react";
import { useFormat, useTranslation } from "./i18n.tsx";

/** Reasons of the gateway in the language of the interface. "" for none. */
export interface ReasonTexts {
  /** Without a full stop: for a table. */
  readonly line: (of: Explained) => string;
  /** With a full stop. */
  readonly sentence: (of: Explained) => string;
  /** For the middle of a sentence. */
  readonly clause: (of: Explained) => string;
}

/** A sentence in another field than `reason`: `why.line(reasonIn("message", component))` */
export function reasonIn<F extends string>(field: F, of: Of<F, string | null, Reason | null>): Explained {
  const { [field]: reason, [`coded_${field}` as const]: coded_reason }: Of<string, string | null, Reason | null> = of;
  return { reason: reason ?? "", coded_reason: coded_reason ?? null };
}

/** The same for a list of sentences. */
export function reasonsIn<F extends string>(field: F, of: Of<F, readonly string[], readonly Reason[]>): Explained[] {
  const sentences: readonly string[] = of[field];
  const { [`coded_${field}` as const]: codes = [] }: Of<string, readonly string[], readonly Reason[]> = of;
  return sentences.map((reason, index) => ({ reason, coded_reason: codes[index] ?? null }));
}

type Of<F extends string, T, C> = { readonly [K in F]: T } & { readonly [K in `coded_${F}`]: C };

/** `const why = useReason(); why.sentence(tunnel)` */
export function useReason(): ReasonTexts {
  const { reasons: texts } = useTranslation();
  const format = useFormat();
  return useMemo(
    () =>
      reasonTexts({
        texts,
        number: format.number,
        ms: (value) => `${format.number(value / 1000, value < 10_000 ? 1 : 0)} s`,
        time: (value) => format.exact(new Date(value)),
      }),
    [texts, format],
  );
}

/** A code of another version, which has no text here, is shown as the gateway's own sentence. */
export function reasonTexts(language: ReasonLanguage): ReasonTexts {
  const as = (write: (reason: Reason, language: ReasonLanguage) => string) => (of: Explained) =>
    isReason(of.coded_reason) ? write(of.coded_reason, language) : of.reason;
  const line = as(sentence);
  return { line, clause: as(clause), sentence: (of) => withStop(line(of)) };
}

const withStop = (text: string): string => (text === "" || /[.!?]$/.test(text) ? text : `${text}.`);
