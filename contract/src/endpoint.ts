import type { Static, TObject, TSchema } from "typebox";
import type { ProblemCode } from "./problem.ts";
import type { RequiredRole } from "./role.ts";
import { nameFields, notSupportedKey } from "./values.ts";

export type Method = "GET" | "POST" | "PUT" | "DELETE";

/**
 * One HTTP operation, described once. Validation, serialisation, OpenAPI, client, command line,
 * reference pages, roles and audit entries all come from here.
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
  /** What the body is made of, when it is not JSON. */
  readonly requestType?: "text/plain";
  /** How large the body may be, when that is more than bodies are otherwise. */
  readonly bodyBytes?: number;
  /** A toggle or an action may be called without its body. */
  readonly bodyOptional?: boolean;
  readonly result: TSchema;
  /** A list that comes in pages: the wire has a bare array, the headers the total and the next cursor. */
  readonly paged?: true;
  /** 201 makes the answer carry a Location. */
  readonly status?: 200 | 201;
  /** Below which path the created resource lives, when that is not this one. */
  readonly location?: `/${string}`;
  /** What the answer is made of, when it is not JSON. */
  readonly responseType?: "text/event-stream" | "text/html";
  /** Problems beyond those every endpoint can answer. */
  readonly errors: readonly ProblemCode[];
  /** What the audit log calls it. Every endpoint that changes state has one. */
  readonly audit?: Audit;
  readonly cli?: Cli;
  /** Other paths that answer the same. A field missing from such a path travels in the query or the body. */
  readonly aliases?: readonly `/${string}`[];
  /** Why it cannot be called yet, as a sentence. It is in the specification, and what it would change has no effect. */
  readonly notSupported?: string;
  /** Ten a minute instead of the general limit: guessing passwords must be slow. */
  readonly throttled?: true;
}

/** `create_device` on a `device`: verb and noun. */
export interface Audit {
  readonly verb: string;
  readonly noun: string;
}

/** How the command line says it. `words` are typed as they stand; `args` fill params or body fields in order. */
export interface Cli {
  readonly words: readonly string[];
  readonly args?: readonly string[];
  /** The field that takes whatever is typed after them: a list, of one word at least. */
  readonly rest?: string;
  /** Columns of the table, for lists. */
  readonly columns?: readonly string[];
  /** Fields of the printed object that come from other paths read along: `health` shows `/observer` too. */
  readonly joins?: Readonly<Record<string, `/${string}`>>;
  /** What a field says while all is well. The client ends with a status of its own when it says anything else. */
  readonly expects?: { readonly field: string; readonly value: string };
}

export type Endpoints = Readonly<Record<string, Endpoint>>;
export type Api = Readonly<Record<string, Endpoints>>;

/** Keeps the exact types of what it is given: handlers and clients are typed by them. */
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

/** A slice of a list. `next` is where the following slice starts, absent on the last one. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly total?: number | undefined;
  readonly next?: string | undefined;
}

export const pathFields = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);

export const auditAction = ({ verb, noun }: Audit): string => `${verb}_${noun}`;

/** Every endpoint with the name handlers, clients and OpenAPI know it by. */
export const operations = (
  api: Api,
): { readonly subsystem: string; readonly name: string; readonly endpoint: Endpoint }[] =>
  Object.entries(api).flatMap(([subsystem, endpoints]) =>
    Object.entries(endpoints).map(([name, it]) => ({ subsystem, name, endpoint: it })),
  );

/** What an endpoint can answer, besides its own problems, by who may call it and how. */
export function errorsOf({ role, method, errors, params, body, notSupported }: Endpoint): ProblemCode[] {
  const reading = method === "GET";
  // A name may be that of several resources.
  const isNamed = params !== undefined && nameFields(params).length > 0;
  const fields = Object.values((body as { properties?: Record<string, object> } | undefined)?.properties ?? {});
  const isPartial = notSupported !== undefined || fields.some((field) => notSupportedKey in field);
  const usual: ProblemCode[] = [
    "invalid_request",
    ...(reading ? [] : (["invalid_json", "payload_too_large", "unsupported_media_type", "forbidden"] as const)),
    ...(isPartial ? (["not_supported"] as const) : []),
    ...(role === "anyone" ? [] : (["unauthorized", "forbidden"] as const)),
    "rate_limited",
    "internal",
    "engine_unavailable",
    ...(isNamed ? (["conflict"] as const) : []),
  ];
  return [...new Set([...usual, ...errors])];
}
