import { type IncomingHttpHeaders, type IncomingMessage, request as httpRequest } from "node:http";
import { isIP } from "node:net";
import { text } from "node:stream/consumers";
import { once } from "node:events";
import type { Answer, Request, Send } from "@portcullis/contract/client";
import { basePath } from "@portcullis/contract/api";
import { version } from "@portcullis/contract/version";
import type { Target } from "./address.ts";
import { openTls, type Peer } from "./connect.ts";
import { Misuse, Unreachable } from "./failure.ts";

export interface Access {
  /** Sent as a bearer credential. */
  readonly key: string | undefined;
  /** Throws for a TLS peer that must not get the request. */
  readonly judge: (peer: Peer) => void;
}

/** Sends requests to a gateway. */
export const sendTo =
  (target: Target, access: Access): Send =>
  async (request) => {
    if (target.kind === "http" && access.key !== undefined) refuseClearText(target.origin);
    try {
      const { status, headers, body } = await exchange(target, request, access);
      return toAnswer(status, headers, body, nameOf(target));
    } catch (cause) {
      if (cause instanceof Unreachable || cause instanceof Misuse) throw cause;
      const sentence = `The gateway at ${nameOf(target)} cannot be reached (${reasonOf(cause)})`;
      throw new Unreachable(`${sentence}; ${adviceFor(target, cause)}`, { cause });
    }
  };

const nameOf = (target: Target): string => (target.kind === "socket" ? target.path : target.origin);

/** Every observer of the packets could read a key in clear text. Loopback has no observers. */
function refuseClearText(origin: string): void {
  const { protocol, hostname } = new URL(origin);
  const host = hostname.replace(/^\[|\]$/g, "");
  const isLoopback = host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
  if (protocol === "http:" && !isLoopback)
    throw new Misuse(`The key would be sent to ${origin} in clear text; set GATEWAY_ADDR to its https address`);
}

async function exchange(
  target: Target,
  { method, url, body, type = "application/json" }: Request,
  { key, judge }: Access,
) {
  const headers = {
    accept: "application/json",
    "user-agent": `portcullis/${version}`,
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
    ...(body !== undefined && { "content-type": type, "content-length": Buffer.byteLength(body) }),
  };
  const request = httpRequest({ method, headers, ...(await place(target, url, judge)) });
  request.end(body);
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) };
}

async function place(target: Target, url: string, judge: Access["judge"]) {
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

/** A followed redirect would turn a POST into a GET, so its destination is reported instead. */
function toAnswer(status: number, headers: IncomingHttpHeaders, body: string, name: string): Answer {
  if (status >= 300 && status < 400)
    throw new Unreachable(`${name} redirects to ${headers.location}; set GATEWAY_ADDR to that address`);
  const value = parsed(body);
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

/** An AggregateError (several addresses were tried) has its reasons inside. */
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
      : "does portcullisd run? GATEWAY_ADDR names another gateway";
  if (target.origin.startsWith("http:") && ["ECONNRESET", "HPE_INVALID_CONSTANT"].includes(reason))
    return `it may expect TLS: try GATEWAY_ADDR=${target.origin.replace("http:", "https:")}`;
  if (target.origin.startsWith("https:") && /^(?:EPROTO|ERR_SSL)/.test(reason))
    return `it may not use TLS: try GATEWAY_ADDR=${target.origin.replace("https:", "http:")}`;
  return "GATEWAY_ADDR says where it is";
}
