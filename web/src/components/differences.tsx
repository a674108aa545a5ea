import type { Difference } from "@portcullis/contract/subsystems/history";
import type { ReactNode } from "react";
import { useTranslation } from "../i18n/i18n.tsx";
import { linesOf, phrasesOf, policyOf, titleOf, written } from "./difference-text.ts";
import { readable, useNames } from "./names.ts";
import { usePolicySentence } from "./paths.ts";
import "./differences.css";

interface DifferencesProps {
  readonly all: readonly Difference[];
  /** Actions beside each entry. */
  readonly actions?: (difference: Difference) => ReactNode;
}

/** Entries beyond this limit are only counted. */
const maxShown = 300;

/** Differences between two revisions: a sentence for each resource, and its fields before and after. */
export function Differences({ all, actions }: DifferencesProps) {
  const t = useTranslation().differences;
  const textOf = useDifferenceText();
  if (all.length === 0) return <p className="quiet">{t.none}</p>;
  return (
    <ul className="stack tight">
      {all.slice(0, maxShown).map((difference) => (
        <li key={`${difference.kind} ${difference.id}`} className={`difference ${difference.change}`}>
          <div className="grow">
            <OneDifference difference={difference} {...textOf(difference)} />
          </div>
          {actions?.(difference)}
        </li>
      ))}
      {all.length > maxShown && <li className="quiet">{t.more(all.length - maxShown)}</li>}
    </ul>
  );
}

interface DifferenceText {
  readonly sentence: string;
  /** Phrases for the changed fields, as far as there are some. */
  readonly means: string;
}

function useDifferenceText(): (difference: Difference) => DifferenceText {
  const { differences: t, paths } = useTranslation();
  const [nameOf, policySentence] = [useNames(), usePolicySentence()];
  return (difference) => {
    const { kind, change } = difference;
    const policy = policyOf(difference);
    const means = policy ? policySentence(policy) : phrasesOf(difference, t.fields, paths.sources, nameOf).join(" · ");
    return { sentence: t[change](t.kinds[kind] ?? kind.replaceAll("_", " "), titleOf(difference)).trim(), means };
  };
}

function OneDifference({ difference, sentence, means }: { readonly difference: Difference } & DifferenceText) {
  const t = useTranslation().differences;
  const { fields } = difference;
  const names = fields.map(({ field }) => field.replaceAll("_", " ")).join(", ");
  return (
    <>
      <p className="strong wrap">{sentence}</p>
      {means && <p className="wrap">{means}</p>}
      {fields.length > 0 && (
        <details>
          <summary className="quiet fine wrap">
            {t.raw}: {names}
          </summary>
          <FieldChanges fields={fields} />
        </details>
      )}
    </>
  );
}

/** Fields before and after. */
export function FieldChanges({ fields }: Pick<Difference, "fields">) {
  const nameOf = useNames();
  return (
    <dl className="difference-fields">
      {fields.map(({ field, before, after }) => (
        <div key={field}>
          <dt className="quiet fine">{field.replaceAll("_", " ")}</dt>
          <dd className="difference-lines code">
            {linesOf(readable(written(before), nameOf), readable(written(after), nameOf)).map(
              ({ mark, text }, line) => (
                <FieldLine key={line} mark={mark} text={text} />
              ),
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function FieldLine({ mark, text }: { readonly mark: "same" | "gone" | "new"; readonly text: string }) {
  if (mark === "same") return <span>{`  ${text}`}</span>;
  return mark === "gone" ? <del>{`− ${text}`}</del> : <ins>{`+ ${text}`}</ins>;
}
