import type { Server } from "node:http";
import type { Socket } from "node:net";
import { Server as TlsServer } from "node:tls";
import { clientNetwork } from "../net/addresses.ts";
import { basePath } from "@portcullis/contract/api";
import { type Api, type Endpoint, operations } from "@portcullis/contract/endpoint";
import type { Handlers } from "@portcullis/contract/handler";
import { envelope, Problem } from "@portcullis/contract/problem";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { requireRole, type Identify, isForwarded } from "./access.ts";
import { acceptKnownBodies, type ReadYaml } from "./body.ts";
import { header, type IdOf, mount } from "./dispatch.ts";
import { watchConnections } from "./connections.ts";
import { rawAnswer, refuseSocket, toProblem } from "./failures.ts";
import { rateLimit } from "./limits.ts";
import { foreignHostReason, crossOriginReason } from "./origin.ts";
import { servePages } from "./pages.ts";
import { clientAddress, isEncrypted, localUser } from "./peers.ts";
import { createSchemas } from "./schemas.ts";
import { stopWithGrace } from "./shutdown.ts";

export interface ServerOptions<A extends Api> {
  readonly api: A;
  readonly handlers: Handlers<A>;
  readonly identify: Identify;
  readonly idOf: IdOf;
  readonly readYaml: ReadYaml;
  /** Host names of this gateway, besides localhost and its addresses. */
  readonly ownNames: readonly string[];
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  readonly limits: {
    readonly requestsPerMinute: number;
    readonly loginsPerMinute: number;
    readonly bodyBytes: number;
    readonly requestTimeoutSec: number;
  };
  /** Folder of the built web interface. */
  readonly webFolder?: string | undefined;
  readonly checkAnswers: boolean;
  readonly nowMs: () => number;
  readonly log: RequestLog;
  /** Called for every answer with its HTTP status. */
  readonly onAnswer: (status: number) => void;
}

/** The log of requests and of unexpected errors. It never gets bodies and headers, because they may contain secrets. */
export interface RequestLog {
  /** Whether such a response is logged: most reads are not, and should cost nothing. */
  wants(method: string, status: number): boolean;
  answered(facts: {
    requestId: string;
    method: string;
    path: string;
    status: number;
    tookMs: number;
    actor: string | undefined;
    /** Remote address of the socket. */
    client: string;
  }): void;
  broken(facts: { requestId: string; method: string; path: string }, error: unknown): void;
}

const minVersion = "TLSv1.2" as const;

/** New connections get this certificate; open ones keep theirs. */
export function replaceCertificate({ server }: FastifyInstance, pair: { readonly cert: string; readonly key: string }) {
  if (!(server instanceof TlsServer)) throw new Error("The API server has no TLS");
  // A complete context: what is not given here would have its default.
  (server as TlsServer).setSecureContext({ ...pair, minVersion });
}

/** The API server: authentication, authorization, rate limits, validation and error responses. */
export function createServer<A extends Api>(options: ServerOptions<A>): FastifyInstance {
  const { api, handlers, limits, tls, log } = options;
  const requestTimeout = limits.requestTimeoutSec * 1000;
  const serverOptions = {
    requireHostHeader: false,
    // Fastify sets it too, but Node then keeps its own limit of one minute for headers and applies the longer one to the body.
    requestTimeout,
    // By default Node checks for overdue requests every 30 seconds.
    connectionsCheckingInterval: requestTimeout / 4,
  };
  let serial = 0;
  const app = Fastify({
    ...(tls && {
      https: { ...tls, ...serverOptions, handshakeTimeout: requestTimeout, minVersion },
    }),
    ...(!tls && { http: serverOptions }),
    logger: false,
    bodyLimit: limits.bodyBytes,
    requestTimeout,
    forceCloseConnections: "idle",
    return503OnClosing: false, // Its response has no envelope; ours is below.
    routerOptions: { maxParamLength: 512, ignoreDuplicateSlashes: false },
    genReqId: () => `${((serial += 1)).toString(36)}-${Math.trunc(options.nowMs()).toString(36)}`,
    clientErrorHandler: (error, socket) => refuseSocket(error, socket),
    // These errors never reach a hook, so the work of the hooks is done here.
    frameworkErrors: (error, request, reply) => {
      void prepare(request, reply);
      void refuse(error, request, reply);
    },
  }) as unknown as FastifyInstance;

  function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const problem = toProblem(error, request.id);
    if (problem.code === "internal")
      log.broken({ requestId: request.id, method: request.method, path: pathOf(request) }, error);
    for (const [name, value] of Object.entries(headersOf(problem))) void reply.header(name, value);
    void reply
      .code(problem.status)
      .type("application/json; charset=utf-8")
      .send(JSON.stringify(envelope(problem)));
    answered(request, reply);
    return reply;
  }

  /** Called for every response. A hook would cost every read two listeners for a log line that is rarely written. */
  function answered(request: FastifyRequest, reply: FastifyReply): void {
    options.onAnswer(reply.statusCode);
    if (!log.wants(request.method, reply.statusCode)) return;
    log.answered({
      requestId: request.id,
      method: request.method,
      path: pathOf(request),
      status: reply.statusCode,
      tookMs: options.nowMs() - request.arrivedMs,
      actor: request.caller?.actor,
      client: clientAddress(request.socket),
    });
  }

  function prepare(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    request.arrivedMs = options.nowMs();
    return setHeaders(request, reply);
  }

  acceptKnownBodies(app, options.readYaml);
  app.decorateRequest("arrivedMs", 0);
  const isStopping = stopWithGrace(app);
  const isPage = servePages(app, options.webFolder);
  app.setErrorHandler((error, request, reply) => refuse(error, request, reply));
  app.addHook("onRequest", (request, reply, done) => {
    void prepare(request, reply);
    if (isStopping()) throw new Problem("engine_unavailable", {}, { message: "The gateway is stopping" });
    if (!request.is404) done();
    else if (!isPage(request, reply)) void notFound(request, reply);
  });
  answerRawEvents(app.server);

  const general = rateLimit(limits.requestsPerMinute, options.nowMs);
  const logins = rateLimit(limits.loginsPerMinute, options.nowMs);

  function authorize(endpoint: Endpoint, request: FastifyRequest) {
    const address = clientAddress(request.socket);
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (request.headers.host === undefined)
      throw new Problem("invalid_request", {}, { message: "The request has no Host" });
    if (!isRead) refuseForeign(request, options.ownNames);
    const caller = options.identify({
      authorization: request.headers.authorization,
      cookie: request.headers.cookie,
      address,
      isRead,
      isForwarded: () => isForwarded(request.headers),
      localUser: localUser(request.socket),
      isEncrypted: isEncrypted(request.socket),
    });
    const waitSec =
      general.take(caller?.credentialId ?? clientNetwork(address)) ??
      (endpoint.throttled ? logins.take(clientNetwork(address)) : undefined);
    if (waitSec !== undefined) throw new Problem("rate_limited", { retry_after_sec: waitSec });
    requireRole(endpoint, caller);
    // A caller without a credential is trusted because of its address, which DNS rebinding circumvents.
    if (endpoint.role !== "anyone" && (caller?.via === "open" || caller?.via === "local"))
      refuseRebound(request, options.ownNames);
    return caller;
  }
  const connectedAtMs = watchConnections(app.server, options.nowMs);
  const { idOf } = options;
  mount(app, { api, handlers, schemas: createSchemas(options), authorize, idOf, connectedAtMs, answered });

  const methodsOf = methodTable(api);
  function notFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const allowed = methodsOf(pathOf(request));
    if (allowed.length === 0)
      return refuse(new Problem("not_found", {}, { message: "No endpoint has this path" }), request, reply);
    void reply.header("allow", allowed.join(", "));
    if (request.method === "OPTIONS") {
      void reply.code(204).send();
      answered(request, reply);
      return reply;
    }
    return refuse(new Problem("method_not_allowed", { allowed }), request, reply);
  }
  return app;
}

const setHeaders = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  reply.headers({ ...(isEncrypted(request.socket) ? tlsHeaders : safetyHeaders), "x-request-id": request.id });

const safetyHeaders = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
};

/** HSTS for a year. A browser that does not trust the certificate ignores it. */
const tlsHeaders = { ...safetyHeaders, "strict-transport-security": "max-age=31536000" };

function headersOf({ code, details }: Problem): Record<string, string> {
  if (code === "rate_limited") return { "retry-after": String(details["retry_after_sec"]) };
  if (code === "unauthorized") return { "www-authenticate": 'Bearer realm="portcullis"' };
  return {};
}

function refuseRebound(request: FastifyRequest, ownNames: readonly string[]): void {
  const reason = foreignHostReason(
    { host: request.headers.host, localAddress: request.socket.localAddress ?? "" },
    ownNames,
  );
  if (reason !== undefined) throw new Problem("forbidden", {}, { message: reason });
}

function refuseForeign(request: FastifyRequest, ownNames: readonly string[]): void {
  const reason = crossOriginReason(
    {
      host: request.headers.host,
      origin: request.headers.origin,
      fetchSite: header(request, "sec-fetch-site"),
      localAddress: request.socket.localAddress ?? "",
    },
    ownNames,
  );
  if (reason !== undefined) throw new Problem("forbidden", {}, { message: reason });
}

/** The methods of a path, for responses to requests without a route. */
function methodTable(api: Api): (path: string) => string[] {
  const table = operations(api).flatMap(({ endpoint }) =>
    [endpoint.path, ...(endpoint.aliases ?? [])].map((path) => ({
      pattern: new RegExp(`^${basePath}${path.replaceAll(".", "\\.").replace(/\{\w+\}/g, "[^/]+")}$`),
      methods: endpoint.method === "GET" ? ["GET", "HEAD"] : [endpoint.method],
    })),
  );
  return (path) => {
    const methods = table.filter(({ pattern }) => pattern.test(path)).flatMap((it) => it.methods);
    return methods.length === 0 ? [] : [...new Set([...methods, "OPTIONS"])];
  };
}

/** Requests that Node would answer without the envelope, or not at all: an unknown Expect, a CONNECT. */
export function answerRawEvents(server: Server): void {
  server.on("checkExpectation", (_request, response: { socket: Socket | null }) => {
    response.socket?.end(
      rawAnswer(new Problem("invalid_request", {}, { message: "The value of the Expect header is not supported" })),
    );
  });
  server.on("connect", (_request, socket: Socket) => {
    socket.end(rawAnswer(new Problem("method_not_allowed", {}, { message: "This is not a proxy" })));
  });
}

declare module "fastify" {
  interface FastifyRequest {
    /** Fastify measures the response time only for its own log, which is off. */
    arrivedMs: number;
  }
}

const pathOf = ({ url }: FastifyRequest): string => url.split("?", 1)[0]!;
