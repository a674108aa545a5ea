import type { Resources } from "../compiler/input/read-document.ts";
import { compiledAnswers } from "./enforcement.ts";
import { egressAnswers } from "./egress.ts";
import { leakAnswers } from "./leak-matrix.ts";
import { policyAnswers } from "./policies.ts";
import { postureAnswers } from "./postures.ts";
import type { Sources } from "./sources.ts";

/** Views of the compiler's results. They are computed from what is published and observed, and change nothing. */
export function explainer(needs: Omit<Sources, "published">) {
  const { ledger } = needs;
  const published = () => ledger.releases.document(ledger.revision()) as unknown as Resources;
  const sources: Sources = { ...needs, published };
  return {
    ...policyAnswers(sources),
    ...compiledAnswers(sources),
    ...leakAnswers(sources),
    ...postureAnswers(sources),
    ...egressAnswers(sources),
  };
}
