/** What could break a line or steer a terminal: control characters, line separators, text that runs backwards. */
const controlCharacters = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}]/gu;

/**
 * Text from a device, a file or a stranger, fit for one line of a terminal. What is replaced is written as JSON
 * writes it, so that text which is JSON still says the same.
 */
export const escapeControls = (text: string): string => text.replace(controlCharacters, escaped);

const short: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };

const escaped = (character: string): string =>
  short[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
