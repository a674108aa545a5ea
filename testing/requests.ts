import { api, basePath } from "@portcullis/contract/api";
import { type Endpoint, operations } from "@portcullis/contract/endpoint";
import { placed } from "@portcullis/contract/openapi";
import fc from "fast-check";
import { damaged, type Existing, fitting, junk, type Schema } from "./arbitrary.ts";

/** A request of a fuzz test, valid or not. */
export interface FuzzRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** Each endpoint of the contract, once for each of its paths. */
const endpoints: readonly Endpoint[] = operations(api).flatMap(({ endpoint }) =>
  [endpoint.path, ...(endpoint.aliases ?? [])].map((path) => ({ ...endpoint, path })),
);

/**
 * One well-formed request to each endpoint and path. A request is generated lazily, so that it can refer to
 * what earlier ones created; for the same reason creation comes first and deletion last.
 */
export function* oneRequestEach(known: Known, seed: number): Generator<FuzzRequest, undefined> {
  const order = ["POST", "GET", "PUT", "DELETE"];
  const sorted = endpoints.toSorted((one, other) => order.indexOf(one.method) - order.indexOf(other.method));
  for (const it of sorted) yield* fc.sample(toEndpoint(it, meant(it, known), fitting), { numRuns: 1, seed });
}

/** Requests to every endpoint of the contract: most are valid, many nearly valid, some hostile. */
export function fuzzRequests(known: Known, bodyBytes: number): fc.Arbitrary<FuzzRequest> {
  const any = fc.oneof(...endpoints.map((it) => ({ weight: weightOf(it), arbitrary: fc.constant(it) })));
  const readable = fc.constantFrom(...endpoints);
  return fc.oneof(
    { weight: 60, arbitrary: any.chain((it) => toEndpoint(it, meant(it, known), fitting)) },
    { weight: 24, arbitrary: any.chain((it) => toEndpoint(it, meant(it, known), damaged)) },
    { weight: 8, arbitrary: any.chain((it) => withOddBody(it, meant(it, known))) },
    { weight: 5, arbitrary: toUnknownPath },
    { weight: 2, arbitrary: readable.chain((it) => withHeaders(it, meant(it, known))) },
    { weight: 1, arbitrary: any.chain((it) => withHugeBody(it, meant(it, known), bodyBytes)) },
  );
}

/** Ids that `POST` created at a path or, with `?cursor` appended, cursors of its pages. */
export type Known = (path: string) => readonly string[];

/** Valid values of each field of an endpoint: ids of its resource, ids of what it refers to, its cursors. */
const meant =
  ({ path }: Endpoint, known: Known): Existing =>
  (field) => {
    if (field === "id") return known(path.replace("/{id}", ""));
    if (field === "cursor") return known(`${path}?cursor`);
    return field in homes ? known(homes[field]!) : undefined;
  };

const homes: Readonly<Record<string, string>> = {
  trust_class: "/trust-classes",
  privacy_class: "/privacy-classes",
  default_privacy_class: "/privacy-classes",
  group_id: "/device-groups",
  group_ids: "/device-groups",
  device_ids: "/devices",
  device_id: "/devices",
  profile_id: "/profiles",
  tunnel_id: "/tunnels",
  default_profile: "/profiles",
  policy_id: "/routing/policies",
};

/** Key derivations are rare because they are slow; rollbacks are rare because they remove everything. */
function weightOf({ method, path, throttled }: Endpoint): number {
  if (throttled || path.endsWith("-passphrase") || path === "/rollback") return 1;
  if (path === "/events" || (/^\/(secrets|tunnels|proxies)/.test(path) && method !== "GET" && method !== "DELETE"))
    return 2;
  return { GET: 20, POST: 12, PUT: 16, DELETE: 5 }[method];
}

type Maker = (schema: Schema, existing: Existing) => fc.Arbitrary<unknown>;

function toEndpoint(endpoint: Endpoint, existing: Existing, make: Maker): fc.Arbitrary<FuzzRequest> {
  const { path, query, body } = placed(endpoint);
  const parts = {
    path: make(path as Schema, existing),
    query: fc.oneof(
      { weight: 3, arbitrary: fitting(query as Schema, existing) },
      { weight: 1, arbitrary: make(query as Schema, existing) },
    ),
    body: body ? make(body as Schema, existing) : fc.constant(undefined),
  };
  return fc.record(parts).map((it) => ({
    method: endpoint.method,
    path: basePath + filled(endpoint.path, it.path) + queryText(it.query),
    headers: it.body === undefined ? {} : { "content-type": endpoint.requestType ?? "application/json" },
    ...(it.body !== undefined && {
      body: endpoint.requestType ? textOf(it.body) : (JSON.stringify(it.body) ?? "null"),
    }),
  }));
}

const filled = (path: string, fields: unknown): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = (fields as Record<string, unknown> | null)?.[name] ?? "x";
    return encodeURIComponent(textOf(value).slice(0, 300)) || "x";
  });

function queryText(fields: unknown): string {
  if (fields === null || typeof fields !== "object") return "";
  const pairs = Object.entries(fields).map(([name, it]) => `${name}=${encodeURIComponent(textOf(it).slice(0, 3000))}`);
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

const textOf = (value: unknown): string =>
  (typeof value === "string" ? value : (JSON.stringify(value) ?? "undefined")).toWellFormed();

function withOddBody(endpoint: Endpoint, existing: Existing): fc.Arbitrary<FuzzRequest> {
  const strange = fc.oneof(
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    fc.tuple(fitting((endpoint.body ?? {}) as Schema, existing), fc.nat()).map(([value, at]) => cut(value, at)),
    fitting((endpoint.body ?? {}) as Schema, existing).map((it) => Buffer.from(JSON.stringify(it) ?? "", "utf16le")),
    junk.map((it) => JSON.stringify(it) ?? ""),
    fc.constantFrom(
      "",
      "null",
      "{}",
      "[]",
      '"',
      "{",
      "\ufeff{}",
      '{"__proto__":{}}',
      '{"constructor":{}}',
      "1e999",
      "NaN",
    ),
  );
  const types = fc.constantFrom(
    "application/json",
    "application/json; charset=latin1",
    "text/plain",
    "nonsense",
    "a/b; c=d",
  );
  return fc
    .tuple(toEndpoint(endpoint, existing, fitting), strange, types, fc.boolean())
    .map(([it, body, type, zipped]) => ({
      ...it,
      headers: { "content-type": type, ...(zipped && type.startsWith("a/b") && { "content-encoding": "gzip" }) },
      body,
    }));
}

function cut(value: unknown, at: number): string {
  const text = JSON.stringify(value) ?? "";
  return text.slice(0, at % Math.max(1, text.length));
}

const segment = fc.oneof(
  fc.constantFrom("api", "v1", "devices", "..", ".", "", "%2e%2e", "%00", "%zz", "%ff", "a".repeat(250), "health"),
  fc.string({ maxLength: 10 }).map(encodeURIComponent),
);
const toUnknownPath: fc.Arbitrary<FuzzRequest> = fc
  .tuple(
    fc.constantFrom("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "PROPFIND"),
    fc.oneof(fc.array(segment, { maxLength: 6 }), fc.constantFrom(["devices"], ["auth", "keys"], ["events", ""])),
    fc.boolean(),
    fc.string({ maxLength: 20 }).map(encodeURIComponent),
  )
  .map(([method, segments, inApi, query]) => ({
    method,
    path: `${inApi ? basePath : ""}/${segments.join("/")}?${query}`,
    headers: {},
  }));

function withHeaders(endpoint: Endpoint, existing: Existing): fc.Arbitrary<FuzzRequest> {
  const visible = fc.string({ maxLength: 100 }).map((text) => text.replaceAll(/[^\x20-\x7e]/g, "?"));
  const names = fc.constantFrom(
    ..."authorization cookie origin sec-fetch-site last-event-id accept accept-version host range".split(" "),
    ..."x-forwarded-for x-http-method-override if-none-match content-type x-request-id".split(" "),
  );
  return fc.tuple(toEndpoint(endpoint, existing, fitting), fc.dictionary(names, visible)).map(([it, headers]) => ({
    ...it,
    headers: { ...it.headers, ...headers },
  }));
}

function withHugeBody(endpoint: Endpoint, existing: Existing, bodyBytes: number): fc.Arbitrary<FuzzRequest> {
  const sizes = fc.constantFrom(bodyBytes, bodyBytes - 1, bodyBytes + 1, bodyBytes * 2, bodyBytes >> 1);
  const fields = Object.keys((endpoint.body as Schema | undefined)?.properties ?? { name: {} });
  const shapes = fc.constantFrom<(size: number, field: string) => string>(
    (size, field) => padded(`{"${field}":"`, "a", '\\n"}', size),
    (size, field) => padded(`{"${field}":[`, "1,", "1]}", size),
    (size, field) => padded(`{"${field}":`, "[", "", size),
    (size) => padded("", " ", "{}", size),
    (size) => padded("{", '"unknown":1,', '"x":1}', size),
    (size, field) => `{"${field}":${"[".repeat(size / 2 - 20)}${"]".repeat(size / 2 - 20)}}`,
  );
  return fc
    .tuple(toEndpoint(endpoint, existing, fitting), sizes, shapes, fc.constantFrom(...fields))
    .map(([it, size, shape, field]) => ({
      ...it,
      headers: { "content-type": "application/json" },
      body: shape(size, field),
    }));
}

const padded = (start: string, fill: string, end: string, size: number): string =>
  start + fill.repeat(Math.floor((size - start.length - end.length) / fill.length)) + end;
