import type { Difference } from "@portcullis/contract/subsystems/history";
import type { ReactNode } from "react";
import { useWords } from "../i18n/i18n.tsx";
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
const shownMost = 300;

/** Differences between two revisions: a sentence for each resource, and its fields before and after. */
export function Differences({ all, actions }: DifferencesProps) {
  const say = useWords().differences;
  const telling = useTelling();
  if (all.length === 0) return <p className="quiet">{say.none}</p>;
  return (
    <ul className="stack tight">
      {all.slice(0, shownMost).map((difference) => (
        <li key={`${difference.kind} ${difference.id}`} className={`difference ${difference.change}`}>
          <div className="grow">
            <OneDifference difference={difference} {...telling(difference)} />
          </div>
          {actions?.(difference)}
        </li>
      ))}
      {all.length > shownMost && <li className="quiet">{say.more(all.length - shownMost)}</li>}
    </ul>
  );
}

interface Telling {
  readonly sentence: string;
  /** Phrases for the changed fields, as far as there are some. */
  readonly means: string;
}

function useTelling(): (difference: Difference) => Telling {
  const { differences: say, paths } = useWords();
  const [nameOf, policySentence] = [useNames(), usePolicySentence()];
  return (difference) => {
    const { kind, change } = difference;
    const policy = policyOf(difference);
    const means = policy
      ? policySentence(policy)
      : phrasesOf(difference, say.fields, paths.sources, nameOf).join(" · ");
    return { sentence: say[change](say.kinds[kind] ?? kind.replaceAll("_", " "), titleOf(difference)).trim(), means };
  };
}

function OneDifference({ difference, sentence, means }: { readonly difference: Difference } & Telling) {
  const say = useWords().differences;
  const { fields } = difference;
  const names = fields.map(({ field }) => field.replaceAll("_", " ")).join(", ");
  return (
    <>
      <p className="strong wrap">{sentence}</p>
      {means && <p className="wrap">{means}</p>}
      {fields.length > 0 && (
        <details>
          <summary className="quiet fine wrap">
            {say.raw}: {names}
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
