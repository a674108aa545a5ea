import { Problem } from "@portcullis/contract/problem";
import { harmless } from "./harmless.ts";
import { cell } from "./print.ts";

/** The words, the JSON or the environment are wrong: nothing was asked of the gateway. */
export class Misuse extends Error {
  override readonly name = "Misuse";
  /** How it is typed, or what to type instead. */
  readonly usage: string | undefined;

  constructor(message: string, usage?: string, options: ErrorOptions = {}) {
    super(message, options);
    this.usage = usage;
  }
}

/** Nothing answers at the address, or what answers is no gateway. */
export class Unreachable extends Error {
  override readonly name = "Unreachable";
}

export interface Complaint {
  readonly text: string;
  readonly status: 1 | 2 | 3 | 4;
}

/** An expected failure → what is said about it, and the exit status. A bug rises. */
export function complaintOf(failure: unknown): Complaint {
  if (failure instanceof Problem)
    return { text: lines(`${failure.code}: ${failure.message}`, detailLines(failure), hintLines(failure)), status: 1 };
  if (failure instanceof Misuse)
    return { text: lines(`usage: ${failure.message}`, failure.usage === undefined ? [] : [failure.usage]), status: 2 };
  if (failure instanceof Unreachable) return { text: lines(`unreachable: ${failure.message}`), status: 3 };
  throw failure;
}

const detailLines = ({ details }: Problem): string[] =>
  Object.entries(details).flatMap(([name, value]) =>
    Array.isArray(value) ? [`${name}:`, ...value.map((it) => `  ${phrase(it)}`)] : [`${name}: ${phrase(value)}`],
  );

/** An object as `field: body.nmae, problem: is not a known field`; anything else as in a table. */
const phrase = (value: unknown): string =>
  value !== null && typeof value === "object" && !Array.isArray(value)
    ? Object.entries(value)
        .map(([name, part]) => `${name}: ${cell(part)}`)
        .join(", ")
    : cell(value);

const hintLines = ({ code }: Problem): string[] =>
  code === "unauthorized"
    ? ['Send an API key with PORTCULLIS_KEY or "portcullis login"; on the gateway itself, root needs none: try sudo']
    : [];

const lines = (first: string, ...indented: readonly (readonly string[])[]): string =>
  [first, ...indented.flat().map((line) => `  ${line}`)].map((line) => `${harmless(line)}\n`).join("");
