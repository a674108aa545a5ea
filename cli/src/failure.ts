import { Problem, type ProblemCode } from "@portcullis/contract/problem";
import { escapeControls } from "./escape.ts";
import { phrase } from "./print.ts";

/** The arguments, the JSON or the environment are invalid: no request was sent. */
export class Misuse extends Error {
  override readonly name = "Misuse";
  /** The usage of the command, or what to type instead. */
  readonly usage: string | undefined;

  constructor(message: string, usage?: string, options: ErrorOptions = {}) {
    super(message, options);
    this.usage = usage;
  }
}

/** No server answers at the address, or the server is not a gateway. */
export class Unreachable extends Error {
  override readonly name = "Unreachable";
}

export interface Complaint {
  readonly text: string;
  readonly status: 1 | 2 | 3 | 4;
}

/** An expected failure → the message and the exit status. Any other error is rethrown. */
export function complaintOf(failure: unknown): Complaint {
  if (failure instanceof Problem)
    return { text: lines(`${failure.code}: ${failure.message}`, detailLines(failure), hintLines(failure)), status: 1 };
  if (failure instanceof Misuse)
    return { text: lines(`usage: ${failure.message}`, failure.usage === undefined ? [] : [failure.usage]), status: 2 };
  if (failure instanceof Unreachable) return { text: lines(`unreachable: ${failure.message}`), status: 3 };
  throw failure;
}

/** The details, without those that the message contains already. */
function detailLines({ message, details }: Problem): string[] {
  const isInMessage = (text: string) => text !== "" && message.includes(text);
  return Object.entries(details).flatMap(([name, value]) => {
    if (!Array.isArray(value)) return isInMessage(plain(value)) ? [] : [`${name}: ${phrase(value)}`];
    const left = value.filter((it) => !isInMessage(sentenceIn(it) ?? plain((it as { id?: unknown } | null)?.id ?? it)));
    if (name === "fields") return left.map((it) => sentenceIn(it) ?? phrase(it));
    return left.length > 0 ? [`${name}:`, ...left.map((it) => `  ${phrase(it)}`)] : [];
  });
}

const plain = (value: unknown): string => (typeof value === "string" || typeof value === "number" ? String(value) : "");

/** `body.nmae: is not a known field; did you mean "name"?` */
function sentenceIn(mistake: unknown): string | undefined {
  const { field, problem, did_you_mean: meant } = (mistake ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof field !== "string" || typeof problem !== "string") return undefined;
  const hint =
    typeof meant !== "string" || problem.includes("did you mean") ? "" : `; did you mean ${JSON.stringify(meant)}?`;
  return `${field}: ${problem}${hint}`;
}

const hintLines = ({ code }: Problem): string[] => [
  ...(code === "unauthorized"
    ? ['Send an API key with PORTCULLIS_KEY or "portcullis login"; on the gateway itself, root needs none: try sudo']
    : []),
  ...(guidePages[code] === undefined ? [] : [`Guide, on the gateway: /docs/guide/${guidePages[code]}`]),
];

/** Where an operator finds what to do about it. The gateway serves these pages. */
export const guidePages: Partial<Record<ProblemCode, string>> = {
  unauthorized: "access.html#the-command-line-from-another-machine",
  forbidden: "access.html",
  policy_conflict: "routing.html",
  change_pending: "snapshots.html",
  secrets_undecipherable: "secrets.html",
  engine_failed: "troubleshooting.html",
  engine_unavailable: "troubleshooting.html",
};

const lines = (first: string, ...indented: readonly (readonly string[])[]): string =>
  [first, ...indented.flat().map((line) => `  ${line}`)].map((line) => `${escapeControls(line)}\n`).join("");
