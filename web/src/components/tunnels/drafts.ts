import { type Explained } from "@portcullis/contract/reason";
import { Problem } from "@portcullis/contract/problem";
import { nameFrom, type Recognised, recognise } from "./recognise.ts";

/** A text that will be imported as a tunnel. */
export interface Draft {
  readonly key: string;
  /** Name of the file; null for pasted text or a QR code. */
  readonly file: string | null;
  readonly text: string;
  readonly recognised: Recognised;
  readonly name: string;
  readonly username: string;
  readonly password: string;
  readonly problem?: Error | undefined;
  readonly made?: { readonly id: string; readonly name: string; readonly notes: readonly Explained[] };
}

export const pasted = "pasted";

export const draftOf = (key: string, text: string, file: string | null): Draft => ({
  key,
  file,
  text,
  recognised: recognise(text),
  name: file === null ? "" : nameFrom(file),
  username: "",
  password: "",
});

/** The paste field changed: its draft is replaced, but the fields beside it stay. */
export function withPasted(drafts: readonly Draft[], text: string): readonly Draft[] {
  const before = drafts.find(({ key }) => key === pasted);
  const others = drafts.filter((it) => it !== before);
  if (text.trim() === "") return others;
  const { name = "", username = "", password = "" } = before ?? {};
  return [{ ...draftOf(pasted, text, null), name, username, password }, ...others];
}

export const isReady = ({ recognised: { kind }, made }: Draft): boolean =>
  made === undefined && (kind === "wireguard" || kind === "openvpn");

export interface Refusal {
  readonly line: number | null;
  readonly problem: string;
}

/** The lines of the file that the gateway refused, with reasons. */
export function refusalsOf(problem: Error | undefined): readonly Refusal[] {
  if (!(problem instanceof Problem)) return [];
  const { refusals } = problem.details as { readonly refusals?: readonly Refusal[] };
  return Array.isArray(refusals) ? refusals : [];
}
