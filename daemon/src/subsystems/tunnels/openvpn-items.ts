import { wordsOf } from "./openvpn-lexer.ts";

/** What an `.ovpn` is made of: directives, and blocks between `<tag>` and `</tag>`. */
export type Item =
  | { readonly kind: "directive"; readonly line: number; readonly name: string; readonly args: readonly string[] }
  | { readonly kind: "block"; readonly line: number; readonly tag: string; readonly lines: readonly string[] }
  | { readonly kind: "refused"; readonly line: number; readonly problem: string };

export function itemsOf(lines: readonly string[]): readonly Item[] {
  const items: Item[] = [];
  for (let place = 0; place < lines.length; place++) {
    const line = place + 1;
    const read = wordsOf(lines[place]!);
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
    const end = endOf(tag, lines, place + 1);
    if (end === undefined) return [...items, { kind: "refused", line, problem: "This block is never closed." }];
    items.push(blockOf({ line, tag, lines: lines.slice(place + 1, end) }, lines[end]!));
    place = end;
  }
  return items;
}

/** OpenVPN takes `--up` in a file for `up`. */
export const withoutDashes = (word: string): string =>
  word.length > 2 && word.startsWith("--") ? word.slice(2) : word;

/** From where the block begins: looking from the top each time would take minutes over a file of tiny blocks. */
function endOf(tag: string, lines: readonly string[], from: number): number | undefined {
  for (let place = from; place < lines.length; place++)
    if (lines[place]!.trimStart().startsWith(`</${tag}>`)) return place;
  return undefined;
}

const strayEnd = (line: number): Item => ({
  kind: "refused",
  line,
  problem: "A block is closed here that was not opened.",
});

/** OpenVPN looks only at the beginning of the closing line, so that the rest of it would be lost without a word. */
function blockOf(
  block: { readonly line: number; readonly tag: string; readonly lines: readonly string[] },
  end: string,
): Item {
  const { line, tag, lines } = block;
  if (end.trim() !== `</${tag}>`)
    return {
      kind: "refused",
      line: line + lines.length + 1,
      problem: "Something stands behind the end of this block.",
    };
  const inner = lines.findIndex((written) => /^<[a-z0-9/-]+>$/.test(written.trim()));
  if (inner >= 0 && tag !== "auth-user-pass")
    return { kind: "refused", line: line + inner + 1, problem: "A block stands inside another block." };
  return { kind: "block", ...block };
}
