/** Text of a device, for people: on one line, without control characters, and not too long. Empty: nothing is left of it. */
export const visible = (bytes: Uint8Array): string => visibleText(new TextDecoder().decode(bytes));

export const visibleText = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029\uFFFD]+/gu, " ")
    .replace(/\s+/gu, " ")
    .trim()
    .slice(0, maxLength)
    .toWellFormed()
    .trim();

const maxLength = 120;
