import { type IncomingMessage, request as requestHttp } from "node:http";
import { pipeline, type Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { PqMode } from "../net/key-exchange.ts";
import { collectInto, removeFile, type Written } from "./bulk-files.ts";
import { requestHttps, tlsError } from "./outbound-tls.ts";
import { RefusedSource, tooLarge } from "./refused-source.ts";
import { lookupOutside, refuseInside } from "./targets.ts";

export interface Download {
  readonly pqMode: PqMode;
  readonly url: string;
  /** Target path; removed after a failure. */
  readonly into: string;
  /** Of our copy, if there is one. */
  readonly known: Validators;
  /** Whether the server of this URL may be outside the Internet. Does not apply to redirects. */
  readonly allowPrivate: boolean;
  readonly maxBytes: number;
  readonly limitMs: number;
  readonly maxRedirects: number;
}

/** Validators of HTTP: they show whether our copy is current. */
export interface Validators {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

export type Downloaded = { readonly kind: "unchanged" } | ({ readonly kind: "new" } & Validators & Written);

/** Downloads a file over HTTP, within limits of size and time. An error is a `RefusedSource`, or has the message of the network. */
export async function download(options: Download): Promise<Downloaded> {
  const { into, maxBytes, limitMs } = options;
  const signal = AbortSignal.timeout(limitMs);
  let response: IncomingMessage | undefined;
  try {
    response = await follow({ ...options, signal });
    const { statusCode, headers } = response;
    if (statusCode === 304) return { kind: "unchanged" };
    if (statusCode !== 200) throw new RefusedSource({ kind: "status", status: statusCode ?? 0 });
    // A server that says so beforehand is spared the work, and so are we. Packed bytes are counted as they are unpacked.
    if (Number(headers["content-length"] ?? 0) > maxBytes) throw tooLarge(maxBytes);
    const written = await collect(unpacked(response), into, maxBytes);
    return { kind: "new", ...written, etag: headers.etag ?? null, lastModified: headers["last-modified"] ?? null };
  } catch (error) {
    removeFile(into);
    if (signal.aborted) throw new RefusedSource({ kind: "slow", limitMs }, { cause: error });
    throw error instanceof RefusedSource ? error : new Error(reasonOf(options.pqMode, error), { cause: error });
  } finally {
    response?.destroy();
  }
}

async function follow({
  pqMode,
  url,
  known,
  allowPrivate,
  maxRedirects,
  signal,
}: Download & { readonly signal: AbortSignal }): Promise<IncomingMessage> {
  const first = checkedUrl(url);
  let next = first;
  for (let left = maxRedirects; ; left--) {
    const response = await ask(next, {
      pqMode,
      known,
      signal,
      isChecked: !(allowPrivate && isSameServer(first, next)),
    });
    const target = redirects.has(response.statusCode ?? 0) ? response.headers.location : undefined;
    if (target === undefined) return response;
    response.destroy();
    if (left === 0) throw new RefusedSource({ kind: "redirected", limit: maxRedirects });
    const from = next;
    next = checkedUrl(target, from);
    if (from.protocol === "https:" && next.protocol === "http:") throw new RefusedSource({ kind: "downgraded" });
  }
}

/** The same host at the same port, or at that of https. */
const isSameServer = (first: URL, next: URL): boolean =>
  first.hostname === next.hostname && (first.port === next.port || (next.protocol === "https:" && next.port === ""));

/** One request, and the beginning of its answer. A checked one connects to addresses on the Internet only. */
function ask(
  url: URL,
  {
    pqMode,
    known,
    signal,
    isChecked,
  }: Pick<Download, "pqMode" | "known"> & { readonly signal: AbortSignal; readonly isChecked: boolean },
): Promise<IncomingMessage> {
  if (isChecked) refuseInside(url.hostname);
  const request = url.protocol === "https:" ? requestHttps.bind(null, pqMode) : requestHttp;
  const options = { signal, agent: false, headers: headersFor(known), ...(isChecked && { lookup: lookupOutside }) };
  return new Promise((resolve, reject) => {
    request(url, options, resolve).once("error", reject).end();
  });
}

function unpacked(response: IncomingMessage): Readable {
  const encoding = response.headers["content-encoding"]?.toLowerCase() ?? "identity";
  if (encoding === "identity") return response;
  const unpacker = unpackers[encoding];
  if (!unpacker) throw new RefusedSource({ kind: "packed", encoding: encoding.slice(0, 20) });
  // An error of either ends both, and the reader gets it.
  return pipeline(response, unpacker(), () => {});
}

const unpackers: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

function checkedUrl(url: string, from?: URL): URL {
  const parsed = URL.parse(url, from);
  if (parsed === null) throw new RefusedSource({ kind: "no-url", url });
  if (parsed.protocol !== "http:" && parsed.protocol !== "https:") throw new RefusedSource({ kind: "protocol" });
  if (parsed.username !== "" || parsed.password !== "") throw new RefusedSource({ kind: "password" });
  return parsed;
}

const headersFor = ({ etag, lastModified }: Validators): Record<string, string> => ({
  accept: "text/plain, */*;q=0.5",
  "accept-encoding": "gzip, deflate, br",
  "user-agent": "portcullis",
  ...(etag !== null && { "if-none-match": etag }),
  ...(lastModified !== null && { "if-modified-since": lastModified }),
});

async function collect(body: Readable, into: string, mostBytes: number): Promise<Written> {
  const file = collectInto(into, mostBytes);
  try {
    // Leaving the loop by an error ends the transfer as well.
    for await (const piece of body) file.add(piece as Uint8Array);
    return file.finish();
  } finally {
    file.close();
  }
}

/** Where several addresses were tried, the error has no message of its own. */
function reasonOf(pqMode: PqMode, error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { errors: [first] = [], code = error.name } = error as { errors?: readonly Error[]; code?: string };
  return tlsError(pqMode, error).message || first?.message || code;
}
