import type { Command } from "./commands.ts";
import { Misuse } from "./failure.ts";

/** The source of a body. `isExplicit`: the user typed "-". */
export type Source =
  | { readonly kind: "none" }
  | { readonly kind: "literal"; readonly text: string }
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "stdin"; readonly isExplicit: boolean };

/** The body argument → its source: literal JSON, a file, or standard input unless options are the body. */
export function bodySource(
  json: Command["json"],
  word: string | undefined,
  isFile: (path: string) => boolean,
  hasFields = false,
): Source {
  if (json === "never") return { kind: "none" };
  if (word === undefined)
    return json === "optional" || hasFields ? { kind: "none" } : { kind: "stdin", isExplicit: false };
  if (word === "-") return { kind: "stdin", isExplicit: true };
  if (/^\s*[{[]/.test(word)) return { kind: "literal", text: word };
  if (isFile(word)) return { kind: "file", path: word };
  throw new Misuse(`${JSON.stringify(word)} is neither JSON nor a file`);
}

/** The bytes of a body → its value. A byte order mark is accepted; bytes that are not UTF-8 are refused. */
export function parseBody(bytes: Uint8Array, from: string): unknown {
  try {
    return JSON.parse(decoded(bytes));
  } catch (cause) {
    throw new Misuse(`${from} is not JSON: ${(cause as Error).message}`, undefined, { cause });
  }
}

/** A body in YAML, which the gateway parses. */
export class YamlText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The same for an endpoint that also takes YAML: what begins with a brace is JSON. */
export function parseDocument(bytes: Uint8Array, from: string): unknown {
  const text = documentText(bytes, from);
  return /^\s*\{/.test(text) ? parseBody(bytes, from) : new YamlText(text);
}

function documentText(bytes: Uint8Array, from: string): string {
  try {
    return decoded(bytes);
  } catch (cause) {
    throw new Misuse(`${from} is not text in UTF-8`, undefined, { cause });
  }
}

const decoded = (bytes: Uint8Array): string => new TextDecoder("utf-8", { fatal: true }).decode(bytes);
