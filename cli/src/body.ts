import type { Command } from "./commands.ts";
import { Misuse } from "./failure.ts";

/** Where a body comes from. */
export type Source =
  | { readonly kind: "none" }
  | { readonly kind: "literal"; readonly text: string }
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "stdin"; readonly asked: boolean };

/** The word in the body's place → where the body is: JSON as it stands, a file, or standard input. */
export function bodySource(json: Command["json"], word: string | undefined, isFile: (path: string) => boolean): Source {
  if (json === "never") return { kind: "none" };
  if (word === undefined) return json === "optional" ? { kind: "none" } : { kind: "stdin", asked: false };
  if (word === "-") return { kind: "stdin", asked: true };
  if (/^\s*[{[]/.test(word)) return { kind: "literal", text: word };
  if (isFile(word)) return { kind: "file", path: word };
  throw new Misuse(`${JSON.stringify(word)} is neither JSON nor a file`);
}

/** The bytes of a body → its value. A byte order mark is no mistake; bytes that are not UTF-8 are. */
export function parseBody(bytes: Uint8Array, from: string): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new Misuse(`${from} is not JSON: ${(cause as Error).message}`, undefined, { cause });
  }
}
