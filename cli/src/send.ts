import { type IncomingMessage, request as httpRequest } from "node:http";
import { isIP } from "node:net";
import { text } from "node:stream/consumers";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Answer, Request, Send } from "@portcullis/contract/client";
import { basePath } from "@portcullis/contract/api";
import { version } from "@portcullis/contract/version";
import type { Target } from "./address.ts";
import { openTls, type Peer } from "./connect.ts";
import { Misuse, Unreachable } from "./failure.ts";
import type { Follow, Receive } from "./follow.ts";

export interface Access {
  /** Sent as a bearer credential. */
  readonly key: string | undefined;
  /** Throws for a TLS peer that must not get the request. */
  readonly judge: (peer: Peer) => void;
}

/** Sends requests to a gateway. */
export const sendTo =
  (target: Target, access: Access): Send =>
  (request) =>
    reportUnreachable(target, access, async () => {
      const response = await sendRequest(target, request, access);
      return toAnswer(response, await text(response), nameOf(target), request.accept);
    });

/** The gateway sends a comment or a line every 15 seconds. A stream without any for this long is dead. */
const silenceMs = 45_000;

/** Follows streams of a gateway. */
export const followTo =
  (target: Target, access: Access): Follow =>
  (request, onMessage) =>
    reportUnreachable(target, access, async () => {
      const response = await sendRequest(target, request, access);
      const isLines = response.headers["content-type"]?.startsWith("application/x-ndjson") === true;
      if (!isLines && response.headers["content-type"]?.startsWith("text/event-stream") !== true)
        return toAnswer(response, await text(response), nameOf(target));
      response.setTimeout(silenceMs, () => response.destroy(new Error("the stream is silent")));
      for await (const line of createInterface({ input: response }))
        if (isLines) onMessage(JSON.parse(line));
        else if (line.startsWith("data: ")) onMessage(JSON.parse(line.slice("data: ".length)));
      if (response.errored) throw response.errored;
      return { status: 200, body: undefined, header: () => undefined };
    });

/** Receives files of a gateway. A file that is cut off is reported. */
export const receiveFrom =
  (target: Target, access: Access): Receive =>
  (request, onChunk) =>
    reportUnreachable(target, access, async () => {
      const response = await sendRequest(target, request, access);
      if (response.headers["content-type"]?.startsWith(request.accept ?? "") !== true)
        return toAnswer(response, await text(response), nameOf(target));
      for await (const chunk of response) await onChunk(chunk as Uint8Array);
      return { status: 200, body: undefined, header: () => undefined };
    });

async function reportUnreachable<T>(target: Target, { key }: Access, work: () => Promise<T>): Promise<T> {
  if (target.kind === "http" && key !== undefined) refuseClearText(target.origin);
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof Unreachable || cause instanceof Misuse) throw cause;
    const sentence = `The gateway at ${nameOf(target)} cannot be reached (${reasonOf(cause)})`;
    throw new Unreachable(`${sentence}; ${adviceFor(target, cause)}`, { cause });
  }
}

const nameOf = (target: Target): string => (target.kind === "socket" ? target.path : target.origin);

/** An observer of the packets could read a key in clear text. Loopback has no observers. */
function refuseClearText(origin: string): void {
  const { protocol, hostname } = new URL(origin);
  const host = hostname.replace(/^\[|\]$/g, "");
  const isLoopback = host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
  if (protocol === "http:" && !isLoopback)
    throw new Misuse(`The key would be sent to ${origin} in clear text; set GATEWAY_ADDR to its https address`);
}

async function sendRequest(
  target: Target,
  { method, url, body, type = "application/json", accept }: Request,
  { key, judge }: Access,
): Promise<IncomingMessage> {
  const headers = {
    accept: accept ?? "application/json, text/event-stream",
    "user-agent": `portcullis/${version}`,
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
    ...(body !== undefined && { "content-type": type, "content-length": Buffer.byteLength(body) }),
  };
  const request = httpRequest({ method, headers, ...(await requestOptions(target, url, judge)) });
  request.end(body);
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return response;
}

async function requestOptions(target: Target, url: string, judge: Access["judge"]) {
  if (target.kind === "socket") return { socketPath: target.path, path: `${basePath}${url}` };
  const { protocol, hostname, port, pathname, search } = new URL(`${target.base}${url}`);
  const defaultPort = protocol === "https:" ? 443 : 80;
  const where = {
    hostname: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? defaultPort : Number(port),
    defaultPort,
    path: `${pathname}${search}`,
  };
  if (protocol === "http:") return where;
  const socket = await openTls(where, judge);
  return { ...where, createConnection: () => socket };
}

/** Redirects are not followed, because a POST would become a GET; the destination is reported instead. */
function toAnswer(
  { statusCode: status = 0, headers }: IncomingMessage,
  body: string,
  name: string,
  accept?: Request["accept"],
): Answer {
  if (status >= 300 && status < 400)
    throw new Unreachable(`${name} redirects to ${headers.location}; set GATEWAY_ADDR to that address`);
  const isText = status < 300 && accept !== undefined && headers["content-type"]?.startsWith(accept) === true;
  const value = isText ? body : parsed(body);
  if (status < 300 && value === undefined)
    throw new Unreachable(`${name} answers, but not in JSON; is GATEWAY_ADDR the address of a gateway?`);
  const header = (wanted: string) => headers[wanted.toLowerCase()];
  return {
    status,
    body: value,
    header: (wanted) => {
      const found = header(wanted);
      return Array.isArray(found) ? found.join(", ") : found;
    },
  };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined; // Not JSON: a proxy's error page, or another program on that port.
  }
}

/** An AggregateError (several addresses were tried) contains its reasons. */
function reasonOf(failure: unknown): string {
  const { code, message, errors } = failure as {
    code?: string;
    message: string;
    errors?: readonly { code?: string }[];
  };
  return code ?? errors?.[0]?.code ?? message;
}

function adviceFor(target: Target, failure: unknown): string {
  const reason = reasonOf(failure);
  if (target.kind === "socket")
    return ["EACCES", "EPERM"].includes(reason)
      ? "only root may use this socket: try sudo"
      : "does portcullisd run? GATEWAY_ADDR selects another gateway";
  if (target.origin.startsWith("http:") && ["ECONNRESET", "HPE_INVALID_CONSTANT"].includes(reason))
    return `it may expect TLS: try GATEWAY_ADDR=${target.origin.replace("http:", "https:")}`;
  if (target.origin.startsWith("https:") && /^(?:EPROTO|ERR_SSL)/.test(reason))
    return `it may not use TLS: try GATEWAY_ADDR=${target.origin.replace("https:", "http:")}`;
  return "set GATEWAY_ADDR to its address";
}
