import { hash } from "node:crypto";
import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import fastifyStatic from "@fastify/static";
import { basePath, type GatewayApi } from "@portcullis/contract/api";
import { type Api, auditAction, type Endpoint, errorsOf, operations } from "@portcullis/contract/endpoint";
import type { Handlers } from "@portcullis/contract/handler";
import { openapi, placed } from "@portcullis/contract/openapi";
import { problems } from "@portcullis/contract/problem";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { openerHeaders, wantsPage, webFiles, webHeaders } from "./web-files.ts";

/** Serves a request that no endpoint matches; returns whether it did. */
export type Pages = (request: FastifyRequest, reply: FastifyReply) => boolean;

/**
 * The web interface, if it was built: static files of the same origin. It is a single-page application, so each of its
 * addresses is served with the main page. It has no routes of its own: endpoints are found and refused as if there
 * were no pages.
 */
export function servePages(app: FastifyInstance, folder: string | undefined): Pages {
  if (folder === undefined || !existsSync(join(folder, mainPage))) return () => false;
  const files = webFiles(folder);
  void app.register(fastifyStatic, {
    root: folder,
    serve: false,
    preCompressed: true,
    acceptRanges: false,
    cacheControl: false,
    // ETags would be computed from size and time, which may be equal in two versions of a package.
    etag: false,
    lastModified: false,
    setHeaders: (response, path) => void response.headers(webHeaders(relative(folder, path))),
  });

  function fileFor({ method, url, headers }: FastifyRequest): string | undefined {
    const path = frontPage(pathIn(url));
    if (path === undefined || (method !== "GET" && method !== "HEAD")) return undefined;
    if (files.has(path)) return path;
    return path === "" || (!isApiPath(path) && wantsPage(headers.accept)) ? mainPage : undefined;
  }
  return (request, reply) => {
    if (pathIn(request.url) === "docs" && files.has("docs/index.html")) {
      void reply.redirect("/docs/");
      return true;
    }
    const file = fileFor(request);
    if (file === undefined || !existsSync(join(folder, file))) return false;
    void reply.headers(openerHeaders(request)).sendFile(file);
    return true;
  };
}

function pathIn(url: string): string | undefined {
  try {
    return decodeURIComponent(url.split("?", 1)[0]!.slice(1));
  } catch {
    return undefined; // Invalid percent encoding.
  }
}

/** The documentation is pages of their own, with links relative to their address: a folder's address ends with a slash. */
const frontPage = (path: string | undefined): string | undefined =>
  path?.startsWith("docs/") && path.endsWith("/") ? `${path}index.html` : path;

const mainPage = "index.html";

const isApiPath = (path: string): boolean => `/${path}/`.startsWith(`/${basePath.split("/")[1]}/`);

/** The contract as OpenAPI and as a page. Each is generated at the first request. */
export function documentHandlers(api: Api, version: string): Handlers<GatewayApi>["documents"] {
  let document: ReturnType<typeof openapi> | undefined;
  let page: ReturnType<typeof docsPage> | undefined;
  return {
    openapi: () => (document ??= openapi(api, version)),
    docs: (_, { setHeader }) => {
      page ??= docsPage(api, version);
      setHeader("content-security-policy", page.policy);
      return page.html;
    },
  };
}

/** The contract as one page without scripts: it works offline, and with a content security policy of 'none'. */
export function docsPage(api: Api, version: string): { html: string; policy: string } {
  const sections = Object.keys(api).map((subsystem) =>
    section(
      subsystem,
      operations(api).filter((it) => it.subsystem === subsystem),
    ),
  );
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Portcullis API ${version}</title><style>${style}</style></head>
<body><header><h1>Portcullis API</h1><p>Version ${version}. Machine-readable: <a href="${basePath}/openapi.json">openapi.json</a></p></header>
<nav aria-label="Subsystems"><ul>${Object.keys(api)
    .map((name) => `<li><a href="#${name}">${spaced(name)}</a></li>`)
    .join("")}</ul></nav>
<main>${sections.join("\n")}</main></body></html>
`;
  const policy = `default-src 'none'; style-src 'sha256-${hash("sha256", style, "base64")}'; frame-ancestors 'none'`;
  return { html, policy };
}

function section(subsystem: string, its: { name: string; endpoint: Endpoint }[]): string {
  return `<section id="${subsystem}"><h2>${spaced(subsystem)}</h2>${its.map(({ name, endpoint }) => entry(`${subsystem}.${name}`, endpoint)).join("")}</section>`;
}

function entry(operation: string, endpoint: Endpoint): string {
  const { method, path, summary, description = "", role, audit, body, aliases = [] } = endpoint;
  const { path: inPath, query } = placed(endpoint);
  const facts = [
    ["Operation", `<code>${operation}</code>`],
    ["Required role", role],
    ...(audit ? [["Audited as", `<code>${auditAction(audit)}</code>`]] : []),
    ...(aliases.length > 0 ? [["Aliases", aliases.map((it) => `<code>${escape(it)}</code>`).join(" ")]] : []),
    [
      "Errors",
      errorsOf(endpoint)
        .map((code) => `<code>${code}</code> ${problems[code].status}`)
        .join(", "),
    ],
  ];
  return `<details><summary><b class="${method}">${method}</b> <code>${escape(path)}</code> <span>${escape(summary)}</span></summary>
<p>${escape(description)}</p>${fields("Path", inPath)}${fields("Query", query)}${fields("Body", body)}${fields("Answer", endpoint.result)}
<dl>${facts.map(([term, text]) => `<dt>${term}</dt><dd>${text}</dd>`).join("")}</dl></details>`;
}

interface Shown {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Shown>>;
  readonly required?: readonly string[];
  readonly items?: Shown;
}

/** One table of a schema's fields; an array shows the fields of its items. */
function fields(caption: string, schema: unknown): string {
  const shown = (schema as Shown | undefined)?.items ?? (schema as Shown | undefined);
  const rows = Object.entries(shown?.properties ?? {});
  if (rows.length === 0) return "";
  const list = (schema as Shown).items ? " (list)" : "";
  return `<table><caption>${caption}${list}</caption><tbody>${rows
    .map(
      ([name, it]) =>
        `<tr><th scope="row">${escape(name)}${shown?.required?.includes(name) ? "" : " <i>optional</i>"}</th><td>${escape(kindOf(it))}</td><td>${escape(it.description ?? "")}</td></tr>`,
    )
    .join("")}</tbody></table>`;
}

const kindOf = ({ type, format, enum: words, items }: Shown): string =>
  words
    ? words.map((word) => String(word)).join(" | ")
    : items
      ? `list of ${kindOf(items)}`
      : [[type ?? "any"].flat().join(" or "), format].filter(Boolean).join(", ");

const escape = (text: string): string => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

const spaced = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

const style = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}body{max-width:60rem;margin:0 auto;padding:1rem}
nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1rem;list-style:none;padding:0}summary{cursor:pointer;padding:.4rem 0}summary span{opacity:.8}
details{border-bottom:1px solid color-mix(in srgb,currentColor 20%,transparent)}b{display:inline-block;min-width:4.5rem;font-size:.85rem}
table{border-collapse:collapse;width:100%;margin:.5rem 0;font-size:.9rem}caption{text-align:left;font-weight:600}th,td{text-align:left;vertical-align:top;padding:.2rem .5rem .2rem 0}
th{font-weight:500;white-space:nowrap}dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;font-size:.9rem}dd{margin:0}h2{text-transform:capitalize}
td,dd,code{overflow-wrap:anywhere}p:empty{display:none}
@media(max-width:40rem){tr{display:block;padding:.2rem 0}th,td{display:inline}th{font-weight:600}td:last-child{display:block}dl{grid-template-columns:1fr}dd{margin-bottom:.4rem}}`;
