import { because, type Reason } from "@portcullis/contract/reason";
/** The result of one HTTP request. */
export type Reply =
  | {
      readonly kind: "answer";
      readonly status: number;
      /** `Location`, as an absolute URL. */
      readonly location: string | null;
      /** The `Refresh` header, which some portals use instead. */
      readonly refresh: string;
      readonly body: string;
    }
  | { readonly kind: "no-answer"; readonly reason: Reason };

/** One page that a browser would be redirected to. The first is the check URL. */
export interface RedirectStep {
  readonly url: string;
  /** A name, or an address without brackets. */
  readonly host: string;
  /** According to the resolvers of that network; empty: unknown. */
  readonly addresses: readonly string[];
}

export interface Probe {
  readonly url: string;
  /** The expected content. */
  readonly answer: string;
}

/** The meaning of a reply to a request for this URL. */
export type PageResult =
  | { readonly kind: "expected" }
  | { readonly kind: "redirect"; readonly to: string }
  | { readonly kind: "page" }
  | { readonly kind: "no-answer" };

export function resultOf(reply: Reply, url: string, probe: Probe): PageResult {
  if (reply.kind === "no-answer") return { kind: "no-answer" };
  const { status, location, refresh, body } = reply;
  const isExpected = status >= 200 && status < 300 && body.trim() === probe.answer.trim();
  // The same content from another host proves nothing.
  if (isExpected && hostIn(url) === hostIn(probe.url)) return { kind: "expected" };
  const target = isRedirect(status) ? location : (urlIn(refresh) ?? redirectIn(body));
  const to = target === null || target === undefined ? undefined : absolute(target, url);
  return to === undefined || to === url ? { kind: "page" } : { kind: "redirect", to };
}

const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status);

/** Redirects are searched in the beginning of a page only. */
const maxPageLength = 65_536;

/** The redirect in the content of a page: a meta element, a script, or WISPr. */
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

/** `0; url=http://…`, as a header or inside an element. */
const urlIn = (refresh: string): string | undefined => /\burl\s*=\s*["']?([^"'>\s]{1,2000})/i.exec(refresh)?.[1];

/** Only URLs that a browser would open by itself. */
function absolute(target: string, from: string): string | undefined {
  const url = URL.parse(target.replaceAll("&amp;", "&"), from);
  return url && ["http:", "https:"].includes(url.protocol) && url.hostname !== "" ? url.href : undefined;
}

export const hostIn = (url: string): string => (URL.parse(url)?.hostname ?? "").replace(/^\[(.*)\]$/, "$1");

export const isAddress = (host: string): boolean => host.includes(":") || /^\d+\.\d+\.\d+\.\d+$/.test(host);

/** No public server has such an address: a portal answered for the name. */
export const isPrivate = (address: string): boolean =>
  /^(?:10|127|192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./.test(address) ||
  /^(?:f[cd]|fe[89ab])/i.test(address);

export interface PageRequest {
  readonly uplink: string;
  readonly step: RedirectStep;
}

/** Arguments of curl for one page, by one interface, with known addresses, without following redirects. */
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
    // Bounds the size of the answer.
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
  if (Number(status) < 100) return { kind: "no-answer", reason: because("portal_no_http") };
  return { kind: "answer", status: Number(status), location: location === "" ? null : location, refresh, body };
}

/** The resolvers in a resolv.conf and in the output of `resolvectl dns`, without those on this machine. */
export const readResolvers = (text: string): string[] =>
  text
    .split("\n")
    .flatMap((line) => {
      const [, named] = /^\s*nameserver\s+(\S+)/.exec(line) ?? [];
      const [, linked = ""] = /^Link \d+ \([^)]*\):(.*)$/.exec(line) ?? [];
      return named === undefined ? linked.trim().split(/\s+/) : [named];
    })
    .map((it) => it.replace(/#.*$/, ""))
    // A link-local address needs a scope, which the socket does not have.
    .filter((it) => isAddress(it) && !/^(?:127\.|::1$|fe80:)/i.test(it));
