import { envelope, Problem, type ProblemCode, problems } from "@portcullis/contract/problem";
import { blocks, code, fenced, generated, table } from "./markdown.ts";

/** errors.md: every error code. */
export const errorsPage = (): string =>
  blocks(
    generated,
    "# Errors",
    "Every response with a status of 400 or more has this body. The code is for programs and never changes its meaning; " +
      "the message is for people; the details are facts about this case, and are always an object.",
    fenced("json", JSON.stringify(envelope(new Problem("not_found", { id: "12" })), null, 2)),
    table(
      ["Code", "Status", "Meaning"],
      (Object.keys(problems) as ProblemCode[])
        .toSorted(byStatus)
        .map((word) => [code(word), String(problems[word].status), problems[word].message]),
    ),
  );

export const byStatus = (a: ProblemCode, b: ProblemCode): number =>
  problems[a].status - problems[b].status || (a < b ? -1 : 1);
