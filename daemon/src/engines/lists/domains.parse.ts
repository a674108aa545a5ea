import { type LineParser, withoutComment } from "./line.parse.ts";
import { isSingleLabel, parseName } from "./names.parse.ts";

/** One name per line, for itself and all below; `*.name` for those below only. */
export const domainsParser: LineParser = (line, emit) => {
  const text = withoutComment(line);
  if (text === "" || text.startsWith("!") || text.startsWith(";")) return 0;
  const isBelow = text.startsWith("*.");
  const name = parseName(isBelow ? text.slice(2) : text.startsWith(".") ? text.slice(1) : text);
  // A line cut short would take a whole top-level domain away. Who means that says so in another format.
  if (name === undefined || isSingleLabel(name)) return 1;
  emit({ name, scope: isBelow ? "below" : "both", isException: false });
  return 0;
};
