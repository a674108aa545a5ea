/** An error in the file, with its position. */
export interface Mistake {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** `auth.api_keys[0].role`; empty if the text is not valid YAML. */
  readonly key: string;
  readonly message: string;
}

export const describeMistake = ({ file, line, column, key, message }: Mistake): string =>
  `${file}:${line}:${column}${key && ` ${key}`}: ${message}`;

/** A mistake without its position: a JSON pointer, and whether the key or its value is wrong. */
export interface Finding {
  readonly pointer: string;
  readonly at: "key" | "value";
  readonly message: string;
}

export const below = (pointer: string, step: string | number): string =>
  `${pointer}/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`;

/** `/auth/api_keys/0/role` → `auth.api_keys[0].role`. Unusual keys are quoted, so that none can imitate a message. */
export const dotted = (pointer: string): string =>
  pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
    .map((step, index) =>
      /^\d+$/.test(step) && index > 0 ? `[${step}]` : `${index > 0 ? "." : ""}${plainOrQuoted(step)}`,
    )
    .join("");

const plainOrQuoted = (step: string): string => (/^[\w-]{1,60}$/.test(step) ? step : shown(step));

/** A value for a message: on one line, at most 60 characters. */
export function shown(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a map";
  const text = onOneLine(JSON.stringify(value) ?? "");
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** Replaces control and format characters, so that the content of a file cannot control a terminal. */
export const onOneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ");
