/** Characters that break a line or control a terminal: control characters, line separators, bidirectional controls. */
const controlCharacters = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}]/gu;

/**
 * Makes untrusted text safe for one line of a terminal. Characters are replaced by their JSON escapes, so that JSON
 * text keeps its meaning.
 */
export const escapeControls = (text: string): string => text.replace(controlCharacters, escaped);

const short: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };

const escaped = (character: string): string =>
  short[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
