import { Problem } from "@portcullis/contract/problem";
import { useTranslation } from "../i18n/i18n.tsx";
import { Button } from "./button.tsx";

/** The message first, the code in small type. A connection error is reported as such, not in the browser's words. */
export function ProblemText({ problem, again }: { readonly problem: Error; readonly again?: () => void }) {
  const { ui } = useTranslation();
  return (
    <div className="problem bad row" role="alert">
      <span className="grow wrap">
        {sentenceOf(problem, ui.unreachable)}{" "}
        {problem instanceof Problem && <span className="quiet fine">{ui.code(problem.code)}</span>}
      </span>
      {again && (
        <Button kind="quiet" onPress={again}>
          {ui.retry}
        </Button>
      )}
    </div>
  );
}

/** `fetch` fails with a TypeError, with a message that differs by browser, if there is no connection. */
export const sentenceOf = (problem: Error, unreachable: string): string =>
  problem instanceof TypeError ? unreachable : problem.message;
