import { because, explained } from "@portcullis/contract/reason";
import { englishReasons, type ReasonCode } from "@portcullis/contract/reasons";
import { blocks, code, fenced, generated, table } from "./markdown.ts";

/** reasons.md: every code of a reason. */
export const reasonsPage = (): string =>
  blocks(
    generated,
    "# Reasons",
    "A reason, and every other sentence of the gateway, is there twice: as a sentence for people, and as a code with parameters for programs, " +
      "in a field of the same name with `coded_` before it: `coded_reason` beside `reason`, `coded_message` beside `message`. " +
      "The code never changes its meaning. A parameter in braces is a text, a number, a list of texts, a duration in milliseconds " +
      "(`_ms`), a time, or a reason itself. Where there is no reason, the sentence is empty and the code is null.",
    fenced("json", JSON.stringify(explained(because("program_missing", { program: "openvpn" })), null, 2)),
    table(
      ["Code", "Text"],
      (Object.keys(englishReasons) as ReasonCode[]).toSorted().map((word) => [code(word), englishReasons[word]]),
    ),
  );
