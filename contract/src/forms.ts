/** Descriptions of patterns for error messages: "must be written as …". */
const byPattern: Readonly<Record<string, string>> = {
  "^\\p{Zs}*[^\\p{Cc}\\p{Cs}\\p{Zs}][^\\p{Cc}\\p{Cs}]*$": "visible text on one line",
  "^[0-9A-Fa-f][02468ACEace](([:-][0-9A-Fa-f]{2}){5}|[0-9A-Fa-f]{2}(\\.[0-9A-Fa-f]{4}){2}|[0-9A-Fa-f]{10})$":
    "the MAC address of one device: twelve hexadecimal digits, such as 02:00:00:aa:bb:01; not a multicast address",
  "^(?!\\.{1,2}$)[!$-&(),-.0-9;-\\[\\]-~+]{1,15}$":
    "an interface name such as eth0: at most 15 characters, without spaces, slashes, stars and quotation marks",
  "^[a-z0-9][a-z0-9._-]{0,14}$":
    "an interface name such as wg-oslo: at most 15 lower-case letters, digits, dots, dashes and underscores, a letter or digit first",
  "^[0-9a-f]{64}$": "64 hexadecimal digits in lower case",
  "^[0-9]{1,15}$": "a revision number, such as 17",
  "^[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?(\\.[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?)*$":
    "a host name such as nas or nas.home.example: letters, digits, dashes and underscores, parts separated by dots",
  "^[^\\p{Cc}\\p{Cs}]*$": "text on one line",
  "^[^\\p{Cc}\\p{Cs}]+$": "text on one line",
  "^\\P{Cc}*$": "text on one line",
  "^\\P{Cs}*$": "text that is valid Unicode",
  "^[^\\p{Cc}\\p{Cs}:]+$": "text on one line without a colon",
  "^[a-z0-9_.]+$": "the key of a setting, such as log.level: lower-case letters, digits, dots and underscores",
  "^[A-Za-z0-9]{1,10}$": "a record type, such as AAAA, TYPE65 or 65",
  "^([A-Za-z][A-Za-z0-9-]{0,15})$": "a record type, such as A, AAAA or MX",
  "^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$": "32 bytes in base64: 44 characters, the last one =",
  "^(\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9_.-]+):[0-9]{1,5}$":
    "host and port, such as 192.0.2.7:1080, vpn.example.net:51820 or [2001:db8::7]:1080",
  "^[A-Za-z0-9_.:-]+$": "a host name or an address",
  "^[a-z0-9][a-z0-9-]*$": "lower-case letters, digits and dashes, a letter or digit first",
  "^[\\p{L}\\p{N}._@-]+$": "letters, digits, dots, dashes, underscores and @",
  "^https?://[^\\s\\p{Cc}]+$": "a URL that begins with http:// or https://",
  "^https?://[^\\s\\p{Cc}@?#]+$":
    "a URL such as http://192.0.2.7:3000: scheme, host, port and path, without credentials",
  "^https?://[^\\s\\p{Cc}@#]+$": "a URL that begins with http:// or https://, without credentials",
  "^(?!/)(?!(?:.*/)?\\.{1,2}(?:/|$))[^\\p{Cc}]+$": "a path below the folder of lists, without dots as parts",
  "^/[^\\p{Cc}]+$": "a path that begins with a slash",
  "^/[!-~]*$": "a path that begins with a slash, without spaces",
  "^[A-Za-z0-9_-]+$": "a cursor from the Link header of the previous page",
};

const byFormat: Readonly<Record<string, string>> = {
  uuid: "a UUID, such as 01890a5d-ac96-774b-bcce-b302099a8057",
  ip: "an IPv4 or IPv6 address, such as 192.0.2.7 or 2001:db8::7",
  ipv4: "an IPv4 address, such as 192.0.2.7",
  "date-time": "a time such as 2026-01-31T12:00:00Z",
};

interface Formed {
  readonly pattern?: string;
  readonly format?: string;
  readonly description?: string;
}

/** Undefined for a schema without pattern and format. For a pattern without an entry, the description of the field is used. */
export function formOf({ pattern, format, description }: Formed): string | undefined {
  if (pattern !== undefined) return byPattern[pattern] ?? `described: ${description ?? "see the reference of the API"}`;
  return format === undefined ? undefined : (byFormat[format] ?? format);
}

/** Whether a pattern has a description. */
export const isExplained = (pattern: string): boolean => Object.hasOwn(byPattern, pattern);
