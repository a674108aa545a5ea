import type { ZoneText } from "./nsd.model.ts";

/** A record that identifies the served text of a zone; the serial does not, because names of devices do not change it. */
const label = "_served";

export const marked = ({ name, text }: ZoneText, digest: string): ZoneText => ({
  name,
  text: `${text}${label}.${name}. 0 IN TXT "${digest.slice(0, 32)}"\n`,
});

export const markOf = (text: string): string => /"([0-9a-f]{32})"\n$/.exec(text)?.[1] ?? "";

/** The query for it: a header, the name, TXT, IN. */
export function markQuery(name: string): Uint8Array {
  const labels = [label, ...name.split(".")].flatMap((it) => [it.length, ...new TextEncoder().encode(it)]);
  return new Uint8Array([...header, ...labels, ...ending]);
}

const header = [0x5a, 0x5a, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0];
const ending = [0, 0, 16, 0, 1];
