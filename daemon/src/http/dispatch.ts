import { Readable } from "node:stream";
import { basePath } from "@portcullis/contract/api";
import { type Api, auditAction, type Endpoint, operations, type Page, pathFields } from "@portcullis/contract/endpoint";
import type { Call, Caller, Handlers } from "@portcullis/contract/handler";
import { placed } from "@portcullis/contract/openapi";
import { nameFields, notSupportedKey } from "@portcullis/contract/values";
import { Problem } from "@portcullis/contract/problem";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { anonymousBodyBytes, emptyBodyBytes, isEmptyMap, refuseBody, takesNoBody } from "./body.ts";
import { clientAddress, isEncrypted } from "./peers.ts";
import type { Schemas } from "./schemas.ts";

type AnyHandler = (input: { params: unknown; query: unknown; body: unknown }, call: Call) => unknown;

/** Decides, before a body is read, whether a request may call an endpoint. */
export type Authorize = (endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply) => Caller | undefined;

/** The id of a resource from its name in a path or a query; throws if there is none. */
export type IdOf = (
  kind: string,
  word: string,
  location: { readonly in: "path" | "query"; readonly field: string },
) => string;

interface Needs<A extends Api> {
  readonly api: A;
  readonly handlers: Handlers<A>;
  readonly schemas: Schemas;
  readonly authorize: Authorize;
  readonly idOf: IdOf;
  /** Time at which a connection was opened. */
  readonly connectedAtMs: (socket: FastifyRequest["socket"]) => number;
  /** Called for every response. */
  readonly answered: (request: FastifyRequest, reply: FastifyReply) => void;
}

/** Creates the routes from contract and handlers. */
export function mount<A extends Api>(
  app: FastifyInstance,
  { api, handlers, schemas, authorize, idOf, connectedAtMs, answered }: Needs<A>,
): void {
  app.decorateRequest("caller", undefined);
  const byName = handlers as unknown as Record<string, Record<string, AnyHandler>>;
  for (const { subsystem, name, endpoint } of operations(api)) {
    const handler = byName[subsystem]![name]!;
    const write = endpoint.responseType ? undefined : schemas.answer(endpoint.result);
    for (const path of [endpoint.path, ...(endpoint.aliases ?? [])]) {
      const read = reader({ ...endpoint, path }, schemas, idOf);
      const cause = causeOf(endpoint);
      const takesBody = !!endpoint.body || displacedFrom(path, endpoint).length > 0;
      app.route({
        method: endpoint.method,
        bodyLimit: bodyLimit(endpoint, takesBody, app.initialConfig.bodyLimit ?? Infinity),
        config: { requestType: endpoint.requestType ?? "application/json", yaml: endpoint.yaml },
        url: `${basePath}${path.replace(/\{(\w+)\}/g, ":$1")}`,
        onRequest: (request, reply, done) => {
          request.caller = authorize(endpoint, request, reply);
          if (!takesBody && endpoint.method !== "GET") refuseBody(request);
          done();
        },
        handler: (request, reply) => {
          const finish = (result: unknown) => {
            void answer(endpoint, result, reply, request, write);
            answered(request, reply);
          };
          const result = handler(read(request), callOf(cause, request, reply, connectedAtMs));
          // Most handlers are synchronous; only the others need a promise.
          if (result instanceof Promise) return result.then(finish).then(() => reply);
          finish(result);
          return reply;
        },
      });
    }
  }
}

declare module "fastify" {
  interface FastifyRequest {
    caller: Caller | undefined;
  }
  interface FastifyContextConfig {
    /** Content type of the request body. */
    requestType?: string;
    /** Whether the body may be YAML, too. */
    yaml?: true | undefined;
  }
}

function bodyLimit({ role, bodyBytes }: Endpoint, takesBody: boolean, general: number): number {
  if (!takesBody) return Math.min(emptyBodyBytes, general);
  return bodyBytes ?? (role === "anyone" ? Math.min(anonymousBodyBytes, general) : general);
}

/** Path parameters of the endpoint that an alias does not contain. */
const displacedFrom = (path: string, { params }: Endpoint): string[] =>
  Object.keys(params?.properties ?? {}).filter((field) => !pathFields(path).includes(field));

/** Request → validated input. Path parameters that an alias does not contain come from the query or the body. */
function reader(endpoint: Endpoint, schemas: Schemas, idOf: IdOf) {
  const { path, query, body } = placed(endpoint);
  const displaced = displacedFrom(endpoint.path, endpoint);
  const checkParams = schemas.text(path, "path");
  const checkQuery = schemas.text(query, "query");
  const checkBody = body && schemas.body(body);
  const hasParams = Object.keys(path.properties).length > 0;
  // An id in the query of an alias is still the path parameter of the endpoint.
  const names = [
    ...nameFields(path).map((it) => ({ ...it, from: "params" as const, in: "path" as const })),
    ...nameFields(query).map((it) => ({
      ...it,
      from: "query" as const,
      in: displaced.includes(it.field) ? ("path" as const) : ("query" as const),
    })),
  ];

  const limited = limitedFields(endpoint.body);
  return (request: FastifyRequest) => {
    const params = request.params as Record<string, unknown>;
    const given = request.query as Record<string, unknown>;
    const left = displaced.length > 0 ? moveFromBody(request.body, given, displaced, body) : request.body;
    // Many clients send {} where no body is needed.
    const sent = (!checkBody || endpoint.bodyOptional) && isEmptyMap(left) ? undefined : left;
    if (hasParams) checkParams(params);
    checkQuery(given);
    if (checkBody) {
      if (sent !== undefined || !endpoint.bodyOptional) checkBody(sent ?? null);
    } else if (sent !== undefined && sent !== null) throw takesNoBody();
    if (endpoint.notSupported !== undefined) throw new Problem("not_supported", {}, { message: endpoint.notSupported });
    refuseUnsupported(sent, limited);
    for (const { from, kind, ...location } of names) {
      const fields = from === "params" ? params : given;
      const word = fields[location.field];
      if (typeof word === "string") fields[location.field] = idOf(kind, word, location);
    }
    if (displaced.length === 0) return { params, query: given, body: sent };
    const moved = Object.fromEntries(displaced.map((field) => [field, given[field]]));
    const rest = Object.fromEntries(Object.entries(given).filter(([field]) => !displaced.includes(field)));
    return { params: { ...params, ...moved }, query: rest, body: sent };
  };
}

type Limited = readonly (readonly [field: string, accepted: readonly unknown[]])[];

/** Fields that nothing reads yet, with the accepted values. */
const limitedFields = (body: Endpoint["body"]): Limited =>
  Object.entries(
    (body as { properties?: Record<string, Record<string, unknown>> } | undefined)?.properties ?? {},
  ).flatMap(([field, schema]) => {
    const accepted = schema[notSupportedKey] as readonly unknown[] | undefined;
    return accepted ? [[field, accepted] as const] : [];
  });

/** Refuses values that would be stored without an effect. */
function refuseUnsupported(body: unknown, limited: Limited): void {
  for (const [field, accepted] of limited) {
    const value = (body as Record<string, unknown> | null | undefined)?.[field];
    if (value !== undefined && !accepted.includes(value))
      throw new Problem(
        "not_supported",
        { field: `body.${field}`, allowed: accepted },
        { message: `body.${field} has no effect yet, and is not stored` },
      );
  }
}

/** `DELETE /things` with `{"id": …}` is equivalent to `?id=…`. Returns the rest of the body, if the endpoint takes one. */
function moveFromBody(
  body: unknown,
  query: Record<string, unknown>,
  fields: readonly string[],
  expected: Endpoint["body"],
): unknown {
  if (body === null || typeof body !== "object" || Array.isArray(body)) return body;
  const rest = { ...(body as Record<string, unknown>) };
  for (const field of fields)
    if (field in rest && !(field in query)) {
      query[field] = rest[field];
      delete rest[field];
    }
  return expected || Object.keys(rest).length > 0 ? rest : undefined;
}

const causeOf = ({ audit, method, path }: Endpoint): Omit<Call["cause"], "actor"> => ({
  action: audit ? auditAction(audit) : `${method} ${path}`,
  resourceType: audit?.noun ?? "",
});

function callOf(
  { action, resourceType }: Omit<Call["cause"], "actor">,
  request: FastifyRequest,
  reply: FastifyReply,
  connectedAtMs: Needs<Api>["connectedAtMs"],
): Call {
  const { caller } = request;
  return {
    caller,
    cause: { actor: caller?.actor ?? "anonymous", action, resourceType },
    requestId: request.id,
    address: clientAddress(request.socket),
    connectedAtMs: connectedAtMs(request.socket),
    secure: isEncrypted(request.socket),
    lastEventId: header(request, "last-event-id"),
    accept: header(request, "accept"),
    setHeader: (name, value) => void reply.header(name, value),
  };
}

function answer(
  endpoint: Endpoint,
  result: unknown,
  reply: FastifyReply,
  request: FastifyRequest,
  write?: (value: unknown) => string,
): FastifyReply {
  if (!write) {
    // A handler that offers several forms has set it.
    const charset = endpoint.responseType === "application/x-pcapng" ? "" : "; charset=utf-8";
    if (!reply.hasHeader("content-type")) void reply.type(`${endpoint.responseType}${charset}`);
    return reply.send(typeof result === "string" ? result : streamed(result as AsyncIterable<unknown>, request));
  }
  const { status = 200, paged } = endpoint;
  if (paged) pageHeaders(result as Page<unknown>, request, reply);
  if (status === 201)
    void reply.header(
      "location",
      `${basePath}${endpoint.location ?? endpoint.path}/${String((result as { id?: string }).id ?? "")}`.replace(
        /\/$/,
        "",
      ),
    );
  return reply
    .code(status)
    .type("application/json; charset=utf-8")
    .send(write(paged ? (result as Page<unknown>).items : result));
}

/** The response to HEAD has no body; an endless stream would otherwise be produced without a reader. */
function streamed(result: AsyncIterable<unknown>, { method }: FastifyRequest): Readable {
  const stream = result instanceof Readable ? result : Readable.from(result, { objectMode: false });
  return method === "HEAD" ? stream.destroy() : stream;
}

function pageHeaders({ total, next }: Page<unknown>, request: FastifyRequest, reply: FastifyReply): void {
  if (total !== undefined) void reply.header("x-total-count", total);
  if (next === undefined) return;
  const url = new URL(request.url, "http://gateway");
  url.searchParams.set("cursor", next);
  void reply.header("link", `<${url.pathname}${url.search}>; rel="next"`);
}

export function header({ headers }: FastifyRequest, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}
