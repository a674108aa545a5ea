import { refuseField } from "../resources.ts";

type Where = "body" | "query";

/** The canonical form of a domain: lower case, internationalized names in ASCII form, without the final dot. */
export function domainIn(field: string, text: string, where: Where = "body"): string {
  const name = labelsIn(field, text, where);
  return /^[\d.]+$/.test(name) ? refuseField(field, "is a number, not a domain such as example.org", where) : name;
}

/** The same for a relative name: in a reverse zone, labels are numbers. */
export function labelsIn(field: string, text: string, where: Where = "body"): string {
  const name = spelled(text);
  if (name === undefined) return refuseField(field, "has characters that no domain name has", where);
  const mistake = mistakeIn(name);
  return mistake === undefined ? name : refuseField(field, `${mistake}; a domain is written like example.org`, where);
}

/** The same with an optional `*.` prefix. */
export const domainBelow = (field: string, text: string): string => domainIn(field, text.replace(/^\*\./, ""));

/** A pattern for the cache: a name, or `*.` and a name. */
export const patternIn = (text: string, where: Where): string =>
  text.startsWith("*.") ? `*.${domainIn("pattern", text.slice(2), where)}` : domainIn("pattern", text, where);

function spelled(text: string): string | undefined {
  const bare = text.trim().replace(/\.$/, "");
  if (/^[\x21-\x7e]*$/.test(bare)) return bare.toLowerCase();
  // Characters that would end the host of a URL are refused.
  return /[\p{Cc}\p{Cs}\p{Z}/?#@:[\]\\%]/u.test(bare) ? undefined : URL.parse(`http://${bare}`)?.hostname;
}

function mistakeIn(name: string): string | undefined {
  const labels = name.split(".");
  if (name.length > 253) return "is longer than 253 characters";
  if (labels.some((label) => label === "")) return "has an empty part between its dots";
  if (labels.some((label) => label.length > 63)) return "has a part of more than 63 characters";
  const odd = labels.find((label) => !/^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/.test(label));
  return odd === undefined ? undefined : `cannot have a part such as ${JSON.stringify(odd)}`;
}
