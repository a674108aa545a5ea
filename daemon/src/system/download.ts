import { collectInto, removeFile, type Written } from "./bulk-files.ts";

export interface Download {
  readonly url: string;
  /** Where it is put; gone again when anything fails. */
  readonly into: string;
  /** What the server said of what we have, if we have it. */
  readonly known: Validators;
  readonly mostBytes: number;
  readonly limitMs: number;
  readonly mostRedirects: number;
}

/** By these a server tells whether what we have is still what it has. */
export interface Validators {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

export type Downloaded = { readonly kind: "unchanged" } | ({ readonly kind: "new" } & Validators & Written);

/** Gets a file by HTTP, within bounds of size and time. Whatever fails is told as a sentence about the server. */
export async function download({ url, into, known, mostBytes, limitMs, mostRedirects }: Download): Promise<Downloaded> {
  const signal = AbortSignal.timeout(limitMs);
  try {
    const response = await follow({ url, known, mostRedirects, signal });
    if (response.status === 304) return { kind: "unchanged" };
    if (response.status !== 200) throw new Refusal(`The server answers ${response.status}`);
    // A server that says so beforehand is spared the work, and so are we. Packed bytes are counted as they are unpacked.
    if (Number(response.headers.get("content-length") ?? 0) > mostBytes) throw new Refusal(tooLarge(mostBytes));
    const written = await collect(response, into, mostBytes);
    return {
      kind: "new",
      ...written,
      etag: response.headers.get("etag"),
      lastModified: response.headers.get("last-modified"),
    };
  } catch (error) {
    removeFile(into);
    throw new Error(signal.aborted ? `It took longer than ${limitMs / 1000} s` : reasonOf(error), { cause: error });
  }
}

/** What went wrong in words of our own, and not in those of the network. */
class Refusal extends Error {}

async function follow({
  url,
  known,
  mostRedirects,
  signal,
}: Pick<Download, "url" | "known" | "mostRedirects"> & { readonly signal: AbortSignal }): Promise<Response> {
  let next = wayTo(url);
  for (let left = mostRedirects; ; left--) {
    const response = await fetch(next, { redirect: "manual", signal, headers: headersFor(known) });
    const target = redirects.has(response.status) ? response.headers.get("location") : null;
    if (target === null) return response;
    await response.body?.cancel();
    if (left === 0) throw new Refusal(`It is redirected more than ${mostRedirects} times`);
    const from = next;
    next = wayTo(target, from);
    if (from.protocol === "https:" && next.protocol === "http:")
      throw new Refusal("It is redirected to an open connection");
  }
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

function wayTo(url: string, from?: URL): URL {
  const parsed = URL.parse(url, from);
  if (parsed === null) throw new Refusal(`${url} is no URL`);
  if (parsed.protocol !== "http:" && parsed.protocol !== "https:") throw new Refusal("Only http and https are spoken");
  if (parsed.username !== "" || parsed.password !== "") throw new Refusal("A URL with a password is not fetched");
  return parsed;
}

const headersFor = ({ etag, lastModified }: Validators): Record<string, string> => ({
  accept: "text/plain, */*;q=0.5",
  "user-agent": "portcullis",
  ...(etag !== null && { "if-none-match": etag }),
  ...(lastModified !== null && { "if-modified-since": lastModified }),
});

async function collect(response: Response, into: string, mostBytes: number): Promise<Written> {
  const file = collectInto(into, mostBytes);
  try {
    // Leaving the loop by an error ends the transfer as well.
    for await (const piece of response.body ?? []) file.add(piece);
    return file.finish();
  } finally {
    file.close();
  }
}

const tooLarge = (mostBytes: number): string => `It has more than ${Math.floor(mostBytes / (1 << 20))} MB`;

/** fetch says "fetch failed" or "terminated" and keeps the reason to itself. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  const code = (cause as { code?: unknown }).code;
  return cause.message || (typeof code === "string" ? code : error.message);
}
