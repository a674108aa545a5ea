import { wordsOf } from "./openvpn-lexer.ts";

/** The items of an `.ovpn`: directives, and blocks between `<tag>` and `</tag>`. */
export type Item =
  | { readonly kind: "directive"; readonly line: number; readonly name: string; readonly args: readonly string[] }
  | { readonly kind: "block"; readonly line: number; readonly tag: string; readonly lines: readonly string[] }
  | { readonly kind: "refused"; readonly line: number; readonly problem: string };

export function itemsOf(lines: readonly string[]): readonly Item[] {
  const items: Item[] = [];
  for (let index = 0; index < lines.length; index++) {
    const line = index + 1;
    const read = wordsOf(lines[index]!);
    if (read.kind === "refused") {
      items.push({ kind: "refused", line, problem: read.problem });
      continue;
    }
    const [first, ...args] = read.words;
    if (first === undefined) continue;
    const name = withoutDashes(first);
    const [, tag] = args.length === 0 ? (/^<(.+)>$/.exec(name) ?? []) : [];
    if (tag === undefined || tag.startsWith("/")) {
      items.push(tag === undefined ? { kind: "directive", line, name, args } : strayEnd(line));
      continue;
    }
    const end = endOf(tag, lines, index + 1);
    if (end === undefined) return [...items, { kind: "refused", line, problem: "This block is never closed." }];
    items.push(blockOf({ line, tag, lines: lines.slice(index + 1, end) }, lines[end]!));
    index = end;
  }
  return items;
}

/** OpenVPN treats `--up` in a file as `up`. */
export const withoutDashes = (word: string): string =>
  word.length > 2 && word.startsWith("--") ? word.slice(2) : word;

/** The search starts at the block: from the top it would take minutes for a file of tiny blocks. */
function endOf(tag: string, lines: readonly string[], from: number): number | undefined {
  for (let index = from; index < lines.length; index++)
    if (lines[index]!.trimStart().startsWith(`</${tag}>`)) return index;
  return undefined;
}

const strayEnd = (line: number): Item => ({
  kind: "refused",
  line,
  problem: "This line closes a block that was not opened.",
});

/** OpenVPN evaluates only the beginning of the closing line and would ignore the rest silently. */
function blockOf(
  block: { readonly line: number; readonly tag: string; readonly lines: readonly string[] },
  end: string,
): Item {
  const { line, tag, lines } = block;
  if (end.trim() !== `</${tag}>`)
    return {
      kind: "refused",
      line: line + lines.length + 1,
      problem: "There is text after the end of this block.",
    };
  const inner = lines.findIndex((written) => /^<[a-z0-9/-]+>$/.test(written.trim()));
  if (inner >= 0 && tag !== "auth-user-pass")
    return { kind: "refused", line: line + inner + 1, problem: "There is a block inside another block." };
  return { kind: "block", ...block };
}
