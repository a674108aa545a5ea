/** What a value must look like: "must be written as …". The web interface has the same texts in other languages. */
export const formTexts = {
  line: "visible text on one line",
  mac: "the MAC address of one device: twelve hexadecimal digits, such as 02:00:00:aa:bb:01; not a multicast address",
  kernel_interface:
    "an interface name such as eth0: at most 15 characters, without spaces, slashes, stars and quotation marks",
  interface:
    "an interface name such as wg-oslo: at most 15 lower-case letters, digits, dots, dashes and underscores, a letter or digit first",
  sha256: "64 hexadecimal digits in lower case",
  revision: "a revision number, such as 17",
  host_name:
    "a host name such as nas or nas.home.example: letters, digits, dashes and underscores, parts separated by dots",
  text_line: "text on one line",
  text_line_needed: "text on one line",
  ascii: "text on one line, of letters and signs of ASCII",
  text: "text on one line",
  unicode: "text that is valid Unicode",
  no_colon: "text on one line without a colon",
  setting: "the key of a setting, such as log.level: lower-case letters, digits, dots and underscores",
  record_type_or_number: "a record type, such as AAAA, TYPE65 or 65",
  record_type: "a record type, such as A, AAAA or MX",
  wireguard_key: "32 bytes in base64: 44 characters, the last one =",
  endpoint: "host and port, such as 192.0.2.7:1080, vpn.example.net:51820 or [2001:db8::7]:1080",
  host: "a host name or an address",
  slug: "lower-case letters, digits and dashes, a letter or digit first",
  account: "letters, digits, dots, dashes, underscores and @",
  url: "a URL that begins with http:// or https://",
  base_url: "a URL such as http://192.0.2.7:3000: scheme, host, port and path, without credentials",
  url_no_credentials: "a URL that begins with http:// or https://, without credentials",
  list_path: "a path below the folder of lists, without dots as parts",
  absolute_path: "a path that begins with a slash",
  path: "a path that begins with a slash, without spaces",
  mail_address: "an e-mail address such as alerts@example.net, without a name before it",
  time_of_day: "a time such as 22:30",
  bot_token: "the token of a bot, such as 123456789:AAE4xX_0aBcD",
  chat: "the number of a chat, such as -1001234567890, or @ and the name of a channel",
  topic: "letters, digits, dashes and underscores, in several parts with slashes between them for MQTT",
  push_url: "a URL that begins with https://, without credentials",
  push_key: "87 characters in base64url, the first one B",
  push_secret: "22 characters in base64url",
  certificate: "certificates in PEM form: text between BEGIN CERTIFICATE and END CERTIFICATE lines",
  cursor: "a cursor from the Link header of the previous page",
  uuid: "a UUID, such as 01890a5d-ac96-774b-bcce-b302099a8057",
  ip: "an IPv4 or IPv6 address, such as 192.0.2.7 or 2001:db8::7",
  ipv4: "an IPv4 address, such as 192.0.2.7",
  date_time: "a time such as 2026-01-31T12:00:00Z",
};
export type FormName = keyof typeof formTexts;

const byPattern: Readonly<Record<string, FormName>> = {
  "^\\p{Zs}*[^\\p{Cc}\\p{Cs}\\p{Zs}][^\\p{Cc}\\p{Cs}]*$": "line",
  "^[0-9A-Fa-f][02468ACEace](([:-][0-9A-Fa-f]{2}){5}|[0-9A-Fa-f]{2}(\\.[0-9A-Fa-f]{4}){2}|[0-9A-Fa-f]{10})$": "mac",
  "^(?!\\.{1,2}$)[!$-&(),-.0-9;-\\[\\]-~+]{1,15}$": "kernel_interface",
  "^[a-z0-9][a-z0-9._-]{0,14}$": "interface",
  "^[0-9a-f]{64}$": "sha256",
  "^[0-9]{1,15}$": "revision",
  "^[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?(\\.[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?)*$": "host_name",
  "^[^\\p{Cc}\\p{Cs}]*$": "text_line",
  "^[^\\p{Cc}\\p{Cs}]+$": "text_line_needed",
  "^[ -~]*$": "ascii",
  "^\\P{Cc}*$": "text",
  "^\\P{Cs}*$": "unicode",
  "^[^\\p{Cc}\\p{Cs}:]+$": "no_colon",
  "^[a-z0-9_.]+$": "setting",
  "^[A-Za-z0-9]{1,10}$": "record_type_or_number",
  "^([A-Za-z][A-Za-z0-9-]{0,15})$": "record_type",
  "^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$": "wireguard_key",
  "^(\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9_.-]+):[0-9]{1,5}$": "endpoint",
  "^[A-Za-z0-9_.:-]+$": "host",
  "^[a-z0-9][a-z0-9-]*$": "slug",
  "^[\\p{L}\\p{N}._@-]+$": "account",
  "^https?://[^\\s\\p{Cc}]+$": "url",
  "^https?://[^\\s\\p{Cc}@?#]+$": "base_url",
  "^https?://[^\\s\\p{Cc}@#]+$": "url_no_credentials",
  "^(?!/)(?!(?:.*/)?\\.{1,2}(?:/|$))[^\\p{Cc}]+$": "list_path",
  "^/[^\\p{Cc}]+$": "absolute_path",
  "^/[!-~]*$": "path",
  "^[A-Za-z0-9_-]+$": "cursor",
  "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9.-]+$": "mail_address",
  "^([01][0-9]|2[0-3]):[0-5][0-9]$": "time_of_day",
  "^[0-9]{1,20}:[A-Za-z0-9_-]{1,200}$": "bot_token",
  "^(-?[0-9]{1,20}|@[A-Za-z0-9_]{1,64})$": "chat",
  "^[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*$": "topic",
  "^\\s*(-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\\s]+-----END CERTIFICATE-----\\s*)+$": "certificate",
  "^https://[^\\s\\p{Cc}@#]+$": "push_url",
  "^B[A-Za-z0-9_-]{86}$": "push_key",
  "^[A-Za-z0-9_-]{22}$": "push_secret",
};

const byFormat: Readonly<Record<string, FormName>> = {
  uuid: "uuid",
  ip: "ip",
  ipv4: "ipv4",
  "date-time": "date_time",
};

interface Formed {
  readonly pattern?: string | undefined;
  readonly format?: string | undefined;
  readonly description?: string | undefined;
}

/** Undefined for a schema without pattern and format. For a pattern without an entry, the description of the field is used. */
export function formOf({ pattern, format, description }: Formed): string | undefined {
  const name = formNameOf({ pattern, format });
  if (name !== undefined) return formTexts[name];
  return pattern === undefined ? format : `described: ${description ?? "see the reference of the API"}`;
}

/** The pattern decides if a schema has both. */
export const formNameOf = ({ pattern, format }: Formed): FormName | undefined =>
  pattern === undefined ? byFormat[format ?? ""] : byPattern[pattern];

/** Whether a pattern has a description. */
export const isExplained = (pattern: string): boolean => Object.hasOwn(byPattern, pattern);
