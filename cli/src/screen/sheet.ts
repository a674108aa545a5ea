import { type Rich, sentence, dim, widthOf } from "./rich.ts";
import { fieldsOf, label, type Reading, words } from "./values.ts";

/** An object as lines of label and value. Objects and lists of objects in it are indented below their name. */
export function sheet(value: unknown, reading: Reading, indent = 0): Rich[] {
  const margin = " ".repeat(indent);
  if (value === null || typeof value !== "object") return [sentence`${margin}${words("", value, reading)}`];
  const fields = fieldsOf(value);
  const width = Math.max(0, ...fields.filter(([, part]) => isOneLine(part)).map(([name]) => widthOf(label(name))));
  return fields.flatMap(([name, part]): Rich[] => {
    const head = `${label(name).padEnd(width)}`;
    if (isOneLine(part)) return [sentence`${margin}${dim(head)}  ${words(name, part, reading)}`];
    if (!Array.isArray(part)) return [sentence`${margin}${dim(label(name))}`, ...sheet(part, reading, indent + 2)];
    const items = part.map((it: unknown) => sentence`${margin}  - ${words(name, it, reading)}`);
    return [sentence`${margin}${dim(label(name))}`, ...items];
  });
}

/** Whether a value is no object and has none. */
const isOneLine = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.every((it) => typeof it !== "object" || (it !== null && "target" in it))
    : typeof value !== "object";

/** Two columns: a word, and what it means. */
export const pairs = (lines: readonly (readonly [name: string, meaning: Rich])[], indent = 2): Rich[] => {
  const width = Math.max(0, ...lines.map(([name]) => widthOf(name)));
  return lines.map(([name, meaning]) => sentence`${" ".repeat(indent)}${dim(name.padEnd(width))}  ${meaning}`);
};
