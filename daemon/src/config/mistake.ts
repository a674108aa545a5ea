/** Something in the file that cannot be meant so, and where. */
export interface Mistake {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** `auth.api_keys[0].role`; empty when the text is not even YAML there. */
  readonly key: string;
  readonly message: string;
}

export const describeMistake = ({ file, line, column, key, message }: Mistake): string =>
  `${file}:${line}:${column}${key && ` ${key}`}: ${message}`;

/** A mistake before it has a place: a JSON pointer, and whether the key there or its value is wrong. */
export interface Finding {
  readonly pointer: string;
  readonly at: "key" | "value";
  readonly message: string;
}

export const below = (pointer: string, step: string | number): string =>
  `${pointer}/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`;

/** `/auth/api_keys/0/role` → `auth.api_keys[0].role`. Odd keys are quoted, so that none can imitate a message. */
export const dotted = (pointer: string): string =>
  pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
    .map((step, place) =>
      /^\d+$/.test(step) && place > 0 ? `[${step}]` : `${place > 0 ? "." : ""}${plainOrQuoted(step)}`,
    )
    .join("");

const plainOrQuoted = (step: string): string => (/^[\w-]{1,60}$/.test(step) ? step : shown(step));

/** A value as a message shows it: on one line, and not for ever. */
export function shown(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a map";
  const text = onOneLine(JSON.stringify(value) ?? "");
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** Nothing that moves a cursor or hides text may come out of a file and into a terminal. */
export const onOneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ");
