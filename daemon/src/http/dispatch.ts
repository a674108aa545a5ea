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

/** Decides, before a body is read, whether this request may go on to this endpoint. */
export type Authorize = (endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply) => Caller | undefined;

/** The id of a resource that a path or a query gives by its name; where it names none, a problem. */
export type IdOf = (
  kind: string,
  word: string,
  place: { readonly in: "path" | "query"; readonly field: string },
) => string;

interface Needs<A extends Api> {
  readonly api: A;
  readonly handlers: Handlers<A>;
  readonly schemas: Schemas;
  readonly gatekeeper: Authorize;
  readonly idOf: IdOf;
  /** When a connection was opened. */
  readonly connectedAtMs: (socket: FastifyRequest["socket"]) => number;
  /** Told of every answer as it leaves. */
  readonly answered: (request: FastifyRequest, reply: FastifyReply) => void;
}

/** Contract and handlers → routes. Knows no subsystem by name. */
export function mount<A extends Api>(
  app: FastifyInstance,
  { api, handlers, schemas, gatekeeper, idOf, connectedAtMs, answered }: Needs<A>,
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
        config: { requestType: endpoint.requestType ?? "application/json" },
        url: `${basePath}${path.replace(/\{(\w+)\}/g, ":$1")}`,
        onRequest: (request, reply, done) => {
          request.caller = gatekeeper(endpoint, request, reply);
          if (!takesBody && endpoint.method !== "GET") refuseBody(request);
          done();
        },
        handler: (request, reply) => {
          const finish = (result: unknown) => {
            void answer(endpoint, result, reply, request, write);
            answered(request, reply);
          };
          const result = handler(read(request), callOf(cause, request, reply, connectedAtMs));
          // Most handlers answer at once; only the others are worth a promise.
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
    /** Content type of its bodies. */
    requestType?: string;
  }
}

function bodyLimit({ role, bodyBytes }: Endpoint, takesBody: boolean, usual: number): number {
  if (!takesBody) return Math.min(emptyBodyBytes, usual);
  return bodyBytes ?? (role === "anyone" ? Math.min(anonymousBodyBytes, usual) : usual);
}

/** Fields of the path proper that an alias has no place for. */
const displacedFrom = (path: string, { params }: Endpoint): string[] =>
  Object.keys(params?.properties ?? {}).filter((field) => !pathFields(path).includes(field));

/** Request → checked input. On an alias path the fields that have no place in it come from the query or the body. */
function reader(endpoint: Endpoint, schemas: Schemas, idOf: IdOf) {
  const { path, query, body } = placed(endpoint);
  const displaced = displacedFrom(endpoint.path, endpoint);
  const checkParams = schemas.text(path, "path");
  const checkQuery = schemas.text(query, "query");
  const checkBody = body && schemas.body(body);
  const hasParams = Object.keys(path.properties).length > 0;
  // An id that travels in the query of an alias path still says which resource is meant.
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
    // Many clients send {} where nothing is needed.
    const sent = (!checkBody || endpoint.bodyOptional) && isEmptyMap(left) ? undefined : left;
    if (hasParams) checkParams(params);
    checkQuery(given);
    if (checkBody) {
      if (sent !== undefined || !endpoint.bodyOptional) checkBody(sent ?? null);
    } else if (sent !== undefined && sent !== null) throw takesNoBody();
    if (endpoint.notSupported !== undefined) throw new Problem("not_supported", {}, { message: endpoint.notSupported });
    refuseUnsupported(sent, limited);
    for (const { from, kind, ...place } of names) {
      const fields = from === "params" ? params : given;
      const word = fields[place.field];
      if (typeof word === "string") fields[place.field] = idOf(kind, word, place);
    }
    if (displaced.length === 0) return { params, query: given, body: sent };
    const moved = Object.fromEntries(displaced.map((field) => [field, given[field]]));
    const rest = Object.fromEntries(Object.entries(given).filter(([field]) => !displaced.includes(field)));
    return { params: { ...params, ...moved }, query: rest, body: sent };
  };
}

type Limited = readonly (readonly [field: string, taken: readonly unknown[]])[];

/** Fields that nothing reads yet, with the values that ask for nothing. */
const limitedFields = (body: Endpoint["body"]): Limited =>
  Object.entries(
    (body as { properties?: Record<string, Record<string, unknown>> } | undefined)?.properties ?? {},
  ).flatMap(([field, schema]) => {
    const taken = schema[notSupportedKey] as readonly unknown[] | undefined;
    return taken ? [[field, taken] as const] : [];
  });

/** What would be stored and have no effect is refused: a setting that does nothing is worse than none. */
function refuseUnsupported(body: unknown, limited: Limited): void {
  for (const [field, taken] of limited) {
    const value = (body as Record<string, unknown> | null | undefined)?.[field];
    if (value !== undefined && !taken.includes(value))
      throw new Problem(
        "not_supported",
        { field: `body.${field}`, allowed: taken },
        { message: `body.${field} has no effect yet, and is not stored` },
      );
  }
}

/** `DELETE /things` with `{"id": …}` is as good as `?id=…`. Answers what is left, if the endpoint takes a body at all. */
function moveFromBody(
  body: unknown,
  query: Record<string, unknown>,
  fields: readonly string[],
  taken: Endpoint["body"],
): unknown {
  if (body === null || typeof body !== "object" || Array.isArray(body)) return body;
  const rest = { ...(body as Record<string, unknown>) };
  for (const field of fields)
    if (field in rest && !(field in query)) {
      query[field] = rest[field];
      delete rest[field];
    }
  return taken || Object.keys(rest).length > 0 ? rest : undefined;
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
    void reply.type(`${endpoint.responseType}; charset=utf-8`);
    return reply.send(typeof result === "string" ? result : streamed(result as AsyncIterable<string>, request));
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

/** Nobody hears the body of an answer to HEAD, and one without an end would be read out to nobody for ever. */
function streamed(result: AsyncIterable<string>, { method }: FastifyRequest): Readable {
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
