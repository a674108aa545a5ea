import type { Static, TObject, TSchema } from "typebox";
import type { ProblemCode } from "./problem.ts";
import type { RequiredRole } from "./role.ts";
import { nameFields, notSupportedKey } from "./values.ts";

export type Method = "GET" | "POST" | "PUT" | "DELETE";

/**
 * One HTTP operation. Validation, serialisation, OpenAPI, client, command line, reference pages, roles and audit
 * entries are derived from it.
 */
export interface Endpoint {
  readonly method: Method;
  /** Relative to /api/v1; `{id}` names a field of `params`. */
  readonly path: `/${string}`;
  readonly role: RequiredRole;
  readonly summary: string;
  readonly description?: string;
  readonly params?: TObject;
  readonly query?: TObject;
  readonly body?: TSchema;
  /** Content type of the request body; absent: JSON. */
  readonly requestType?: "text/plain";
  /** Whether the body may also be YAML, with the content type application/yaml. */
  readonly yaml?: true;
  /** Maximum size of the body, if it differs from limits.body_bytes. */
  readonly bodyBytes?: number;
  /** Whether the endpoint may be called without its body. */
  readonly bodyOptional?: boolean;
  readonly result: TSchema;
  /** A paged list: the body is a bare array, the headers contain the total and the next cursor. */
  readonly paged?: true;
  /** With 201 the response has a Location header. */
  readonly status?: 200 | 201;
  /** Path of the collection of the created resource, if it is not this path. */
  readonly location?: `/${string}`;
  /** Content type of the response; absent: JSON. */
  readonly responseType?: TextType | "application/x-pcapng";
  /** Content type of another form of the response, which the Accept header selects. */
  readonly alternativeType?: "application/openmetrics-text";
  /** Problems beyond those that every endpoint can return. */
  readonly errors: readonly ProblemCode[];
  /** Its name in the audit log. Every endpoint that changes state has one. */
  readonly audit?: Audit;
  readonly cli?: Cli;
  /** Aliases of the path. A path parameter that an alias does not have is sent in the query or the body. */
  readonly aliases?: readonly `/${string}`[];
  /** Why it cannot be called yet, as a sentence. The specification contains it, and what it would change has no effect yet. */
  readonly notSupported?: string;
  /** The rate limit of logins applies (limits.logins_per_minute), which slows down password guessing. */
  readonly throttled?: true;
}

type TextType = "text/event-stream" | "text/html" | "text/plain" | "application/x-ndjson";

/** `create_device` on a `device`: verb and noun. */
export interface Audit {
  readonly verb: string;
  readonly noun: string;
}

/** Its command. `words` are literal; `args` fill params or body fields in order. */
export interface Cli {
  readonly words: readonly string[];
  readonly args?: readonly string[];
  /** Options that fill fields of the body instead of JSON: the name of the option → the field. */
  readonly options?: Readonly<Record<string, string>>;
  /** The list field that takes all remaining arguments, at least one. */
  readonly rest?: string;
  /** Columns of the table, for lists. */
  readonly columns?: readonly string[];
  /** Fields of the printed object that are read from other paths: `health` also prints `/observer`. */
  readonly joins?: Readonly<Record<string, `/${string}`>>;
  /** The normal value of a field. With any other value the client exits with status 4, or this one. */
  readonly expects?: { readonly field: string; readonly value: string; readonly status?: 2 };
}

export type Endpoints = Readonly<Record<string, Endpoint>>;
export type Api = Readonly<Record<string, Endpoints>>;

/** Identity that preserves literal types; the types of handlers and clients are derived from them. */
export const endpoint = <const E extends Endpoint>(it: E): E => it;

type FieldOf<E, K extends string, Absent> = E extends { readonly [P in K]: infer S extends TSchema }
  ? Static<S>
  : Absent;
type BodyOf<E> = E extends { readonly bodyOptional: true }
  ? FieldOf<E, "body", undefined> | undefined
  : FieldOf<E, "body", undefined>;

export interface InputOf<E> {
  readonly params: FieldOf<E, "params", Record<never, never>>;
  readonly query: FieldOf<E, "query", Record<never, never>>;
  readonly body: BodyOf<E>;
}
type AnswerOf<E> = E extends { readonly result: infer S extends TSchema } ? Static<S> : never;
export type ResultOf<E> = E extends { readonly paged: true }
  ? Page<AnswerOf<E> extends readonly (infer T)[] ? T : never>
  : AnswerOf<E>;

/** One page of a list. `next` is the cursor of the following page; the last page has none. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly total?: number | undefined;
  readonly next?: string | undefined;
}

export const pathFields = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);

export const auditAction = ({ verb, noun }: Audit): string => `${verb}_${noun}`;

/** Every endpoint with its subsystem and operation name. */
export const operations = (
  api: Api,
): { readonly subsystem: string; readonly name: string; readonly endpoint: Endpoint }[] =>
  Object.entries(api).flatMap(([subsystem, endpoints]) =>
    Object.entries(endpoints).map(([name, it]) => ({ subsystem, name, endpoint: it })),
  );

/** All problems that an endpoint can return: its own, and those that follow from role, method and schemas. */
export function errorsOf({ role, method, errors, params, body, notSupported }: Endpoint): ProblemCode[] {
  const isRead = method === "GET";
  // Several resources may have the same name.
  const isNamed = params !== undefined && nameFields(params).length > 0;
  const fields = Object.values((body as { properties?: Record<string, object> } | undefined)?.properties ?? {});
  const isPartial = notSupported !== undefined || fields.some((field) => notSupportedKey in field);
  const general: ProblemCode[] = [
    "invalid_request",
    ...(isRead ? [] : (["invalid_json", "payload_too_large", "unsupported_media_type", "forbidden"] as const)),
    ...(isPartial ? (["not_supported"] as const) : []),
    ...(role === "anyone" ? [] : (["unauthorized", "forbidden"] as const)),
    "rate_limited",
    "internal",
    "engine_unavailable",
    ...(isNamed ? (["conflict"] as const) : []),
  ];
  return [...new Set([...general, ...errors])];
}
