/** What came of one question over HTTP. */
export type Reply =
  | {
      readonly kind: "answer";
      readonly status: number;
      /** Where `Location` leads, as a whole address. */
      readonly location: string | null;
      /** The field of this name, which some portals use instead. */
      readonly refresh: string;
      readonly body: string;
    }
  | { readonly kind: "silence"; readonly reason: string };

/** One place a browser would be led to. The first is where we asked. */
export interface RedirectStep {
  readonly url: string;
  /** A name, or an address without brackets. */
  readonly host: string;
  /** As the network there says; none: it does not say. */
  readonly addresses: readonly string[];
}

export interface Probe {
  readonly url: string;
  /** What is known to be answered there. */
  readonly answer: string;
}

/** What an answer means to whoever asked for a page at this address. */
export type PageResult =
  | { readonly kind: "expected" }
  | { readonly kind: "onward"; readonly to: string }
  | { readonly kind: "page" }
  | { readonly kind: "silence" };

export function resultOf(reply: Reply, url: string, probe: Probe): PageResult {
  if (reply.kind === "silence") return { kind: "silence" };
  const { status, location, refresh, body } = reply;
  const isExpected = status >= 200 && status < 300 && body.trim() === probe.answer.trim();
  // Elsewhere the same words would be somebody else's.
  if (isExpected && hostIn(url) === hostIn(probe.url)) return { kind: "expected" };
  const target = isRedirect(status) ? location : (urlIn(refresh) ?? redirectIn(body));
  const to = target === null || target === undefined ? undefined : absolute(target, url);
  return to === undefined || to === url ? { kind: "page" } : { kind: "onward", to };
}

const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status);

/** More than that of a page says nothing that its beginning did not. */
const maxPageLength = 65_536;

/** Where a page that is no redirect sends its reader: by a field of its head, a script, or what roaming software reads. */
function redirectIn(body: string): string | undefined {
  const page = body.slice(0, maxPageLength);
  const metas = page.match(/<meta\b[^<>]{1,2000}>/gi) ?? [];
  const refreshing = metas.find((it) => /http-equiv\s*=\s*["']?refresh\b/i.test(it));
  const script =
    /\blocation(?:\.href)?\s*=\s*(["'])([^"'\s]{1,2000})\1/.exec(page) ??
    /\blocation\.(?:replace|assign)\(\s*(["'])([^"'\s]{1,2000})\1/.exec(page);
  const roaming = /<LoginURL>\s*(?:<!\[CDATA\[)?\s*([^<\]\s]{1,2000})/i.exec(page)?.[1];
  return (refreshing && urlIn(refreshing)) ?? script?.[2] ?? roaming;
}

/** `0; url=http://…`, as a field of the answer or inside a tag. */
const urlIn = (refresh: string): string | undefined => /\burl\s*=\s*["']?([^"'>\s]{1,2000})/i.exec(refresh)?.[1];

/** Only what a browser would go to by itself. */
function absolute(target: string, from: string): string | undefined {
  const url = URL.parse(target.replaceAll("&amp;", "&"), from);
  return url && ["http:", "https:"].includes(url.protocol) && url.hostname !== "" ? url.href : undefined;
}

export const hostIn = (url: string): string => (URL.parse(url)?.hostname ?? "").replace(/^\[(.*)\]$/, "$1");

export const isAddress = (host: string): boolean => host.includes(":") || /^\d+\.\d+\.\d+\.\d+$/.test(host);

/** Where nobody's public server is: a well-known name that leads there was answered by somebody on the way. */
export const isPrivate = (address: string): boolean =>
  /^(?:10|127|192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./.test(address) ||
  /^(?:f[cd]|fe[89ab])/i.test(address);

export interface PageRequest {
  readonly uplink: string;
  readonly step: RedirectStep;
}

/** How curl is told to ask for one page, by one interface, of addresses that are known already, following nobody. */
export function curlArguments(
  { uplink, step: { url, host, addresses } }: PageRequest,
  limitSec: number,
): readonly string[] {
  const { protocol, port } = new URL(url);
  const number = port || (protocol === "https:" ? "443" : "80");
  const at = addresses.map((it) => (it.includes(":") ? `[${it}]` : it)).join(",");
  return [
    "--disable",
    "--silent",
    "--show-error",
    "--globoff",
    "--noproxy",
    "*",
    "--proto",
    "=http,https",
    "--interface",
    uplink,
    ...(isAddress(host) ? [] : ["--resolve", `${host}:${number}:${at}`]),
    "--connect-timeout",
    String(Math.max(1, Math.ceil(limitSec / 2))),
    "--max-time",
    String(limitSec),
    // Whoever stands there may send for as long as it likes.
    "--limit-rate",
    "128k",
    "--user-agent",
    "portcullis",
    "--write-out",
    "\\n%{http_code} %{redirect_url} %header{refresh}",
    "--url",
    url,
  ];
}

export function readCurl(output: string): Reply {
  const [, body = "", status = "0", location = "", refresh = ""] =
    /^([\s\S]*)\n(\d{3}) (\S*) ?([^\n]*)$/.exec(output) ?? [];
  if (Number(status) < 100) return { kind: "silence", reason: "it was no answer of HTTP" };
  return { kind: "answer", status: Number(status), location: location === "" ? null : location, refresh, body };
}

/** What a resolv.conf names, and what `resolvectl dns` says of a link, but for those on this machine: they are ours. */
export const readResolvers = (text: string): string[] =>
  text
    .split("\n")
    .flatMap((line) => {
      const [, named] = /^\s*nameserver\s+(\S+)/.exec(line) ?? [];
      const [, linked = ""] = /^Link \d+ \([^)]*\):(.*)$/.exec(line) ?? [];
      return named === undefined ? linked.trim().split(/\s+/) : [named];
    })
    .map((it) => it.replace(/#.*$/, ""))
    // Who has an address of the link only is reached by no socket that knows no link.
    .filter((it) => isAddress(it) && !/^(?:127\.|::1$|fe80:)/i.test(it));
