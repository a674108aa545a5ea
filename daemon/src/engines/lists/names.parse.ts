/** A name as it is compared: lower case, without a dot at its end, IDN in its ASCII form. Nothing if it is no name. */
export function parseName(text: string): string | undefined {
  const written = text.endsWith(".") ? text.slice(0, -1) : text;
  if (isHostName(written)) return written;
  const lower = written.length > mostCharacters ? undefined : asciiOf(written);
  return lower !== undefined && isHostName(lower) ? lower : undefined;
}

/** As many as fit into 255 bytes on the wire. */
const mostCharacters = 253;

/** Nearly all names in lists are in this form already. Of labels only the last one matters: a number makes it an address. */
const isHostName = (text: string): boolean =>
  text.length <= mostCharacters && labels.test(text) && !(isDigit(text.at(-1)) && numberAtEnd.test(text));

/** Unambiguous, so matching takes linear time. */
const labels = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/;

const numberAtEnd = /(?:^|\.)[0-9]+$/;

const isDigit = (character = ""): boolean => character >= "0" && character <= "9";

/**
 * Names in other scripts are converted as browsers do (UTS 46). What a URL would parse differently, such as `@`, `:` or `%`,
 * never reaches it.
 */
function asciiOf(text: string): string | undefined {
  if (/^[A-Za-z0-9._-]*$/.test(text)) return text.toLowerCase();
  if (!/^[\p{L}\p{M}\p{N}._\u00B7\u200C-\u200D\u3002\u30FB-]+$/u.test(text)) return undefined;
  return URL.parse(`http://${text}/`)?.hostname;
}

/** A name without a dot: a top-level domain, or a host of a private network. */
export const isSingleLabel = (name: string): boolean => !name.includes(".");
