import { type IncomingMessage, request as requestHttp } from "node:http";
import { TLSSocket } from "node:tls";
import type { PqMode } from "../net/key-exchange.ts";
import { requestHttps, tlsError } from "./outbound-tls.ts";

/** When the certificate that a server shows expires; "expired": it was refused for that. */
export type CertificateEnd = Date | "expired";

interface WebRequest {
  readonly pqMode: PqMode;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal: AbortSignal;
  readonly onCertificate?: ((end: CertificateEnd) => void) | undefined;
}

/** One HTTP request, within the limit. */
export function requestWeb({
  timeoutMs,
  ...request
}: Omit<WebRequest, "signal"> & { readonly timeoutMs: number }): Promise<{
  readonly status: number;
  readonly text: string;
}> {
  return exchanged({ ...request, signal: AbortSignal.timeout(timeoutMs) }, async (response) => ({
    status: response.statusCode!,
    text: await wholeOf(response),
  }));
}

/** One POST whose answer is shown to people: its beginning is enough, and a longer one is no failure. */
export function postWeb(request: Omit<WebRequest, "method">): Promise<{
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | null;
}> {
  return exchanged({ ...request, method: "POST" }, async (response) => ({
    status: response.statusCode!,
    text: await beginningOf(response),
    retryAfter: response.headers["retry-after"] ?? null,
  }));
}

/** No redirect is followed: the request may contain a secret for this server only. */
async function exchanged<T>(request: WebRequest, read: (response: IncomingMessage) => Promise<T>): Promise<T> {
  let response: IncomingMessage | undefined;
  try {
    response = await responseTo(request);
    return await read(response);
  } catch (cause) {
    const isLate = request.signal.aborted;
    throw new Error(isLate ? "it does not answer in time" : reasonOf(tlsError(request.pqMode, cause as Error)), {
      cause,
    });
  } finally {
    response?.destroy();
  }
}

/** In a connection of its own, so that each shows the certificate of the server. */
function responseTo({
  pqMode,
  method,
  url,
  headers,
  body,
  signal,
  onCertificate,
}: WebRequest): Promise<IncomingMessage> {
  const target = new URL(url);
  const open = target.protocol === "https:" ? requestHttps.bind(null, pqMode) : requestHttp;
  const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    open(target, { method, headers: { ...headers, ...length }, signal, agent: false }, (response) => {
      const { socket } = response;
      const end = socket instanceof TLSSocket ? socket.getPeerX509Certificate()?.validToDate : undefined;
      if (end) onCertificate?.(end);
      resolve(response);
    })
      .on("error", (error) => {
        if ((error as { code?: string }).code === "CERT_HAS_EXPIRED") onCertificate?.("expired");
        reject(error);
      })
      .end(body);
  });
}

const maxBeginningBytes = 1 << 14;

async function beginningOf(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    parts.push(part);
    bytes += part.length;
    if (bytes > maxBeginningBytes) break; // Which ends the transfer.
  }
  return Buffer.concat(parts).subarray(0, maxBeginningBytes).toString();
}

const maxTextBytes = 1 << 20;

/** A server that never ends its answer must not fill the memory. */
async function wholeOf(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > maxTextBytes) throw new Error("the answer is too long");
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

function reasonOf(failure: unknown): string {
  const { code, message } = failure as { code?: string; message: string };
  return code ?? message;
}
