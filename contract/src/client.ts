import type { Api, Endpoint, InputOf, Page, ResultOf } from "./endpoint.ts";
import { type Details, Problem, type ProblemCode, problems } from "./problem.ts";

/** One request and its response as plain data. The environment that runs a client supplies the transport. */
export interface Request {
  readonly method: string;
  /** Path and query, relative to the API's base. */
  readonly url: string;
  readonly body?: string;
  /** Content type of the body; absent: JSON. */
  readonly type?: string;
  /** Content type of the response, whose body is text or bytes then; absent: JSON. */
  readonly accept?: "text/plain" | "application/x-ndjson" | "application/x-pcapng";
}
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly header: (name: string) => string | null | undefined;
}
export type Send = (request: Request) => Promise<Answer>;

type Given<I> = {
  [K in keyof I as undefined extends I[K] ? never : Record<never, never> extends I[K] ? never : K]: I[K];
} & {
  [K in keyof I]?: I[K];
};
/** In place of a body, the text of one in YAML. */
type Written<E extends Endpoint> = E extends { readonly yaml: true }
  ? Given<Omit<InputOf<E>, "body">> & { readonly body?: InputOf<E>["body"]; readonly yaml?: string }
  : Given<InputOf<E>>;
type Call<E extends Endpoint> =
  Record<never, never> extends Given<InputOf<E>>
    ? (input?: Written<E>) => Promise<ResultOf<E>>
    : (input: Written<E>) => Promise<ResultOf<E>>;

export type Client<A extends Api> = { readonly [S in keyof A]: { readonly [N in keyof A[S]]: Call<A[S][N]> } };

/** `client.devices.create({ body: { name } })`: the names of the contract, nothing generated. */
export function createClient<A extends Api>(api: A, send: Send): Client<A> {
  const calls = Object.entries(api).map(([subsystem, endpoints]) => [
    subsystem,
    Object.fromEntries(
      Object.entries(endpoints).map(([name, it]) => [name, (input: Input = {}) => call(it, input, send)]),
    ),
  ]);
  return Object.fromEntries(calls) as Client<A>;
}

/** The untyped input of a call. */
export interface Input {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  /** In place of `body`, for endpoints that take YAML. */
  readonly yaml?: string;
}

export async function call(endpoint: Endpoint, input: Input, send: Send): Promise<unknown> {
  const { status, body, header } = await send(toRequest(endpoint, input));
  if (status < 200 || status >= 300) throw toProblem(status, body);
  if (!endpoint.paged) return body;
  if (!Array.isArray(body)) throw toProblem(status, undefined);
  return toPage(body, header);
}

export function toRequest(
  { method, path, requestType, responseType }: Endpoint,
  { params = {}, query = {}, body, yaml }: Input,
): Request {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => step(name, written(params[name])));
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(written(value))}`);
  const url = pairs.length > 0 ? `${filled}?${pairs.join("&")}` : filled;
  return {
    method,
    url,
    ...(body !== undefined && { body: requestType ? written(body) : JSON.stringify(body) }),
    ...(requestType && { type: requestType }),
    ...(yaml !== undefined && { body: yaml, type: "application/yaml" }),
    ...(isAccepted(responseType) && { accept: responseType }),
  };
}

const isAccepted = (type: Endpoint["responseType"]): type is NonNullable<Request["accept"]> =>
  type === "text/plain" || type === "application/x-ndjson" || type === "application/x-pcapng";

/** A value in a URL or a plain body: text unchanged, numbers and booleans as in JSON. */
const written = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

/** One segment of a path. An empty segment or dots would make the URL name another resource. */
function step(name: string, value: string): string {
  if (/^\.{0,2}$/.test(value)) throw new Problem("invalid_request", { field: `path.${name}` });
  return encodeURIComponent(value);
}

/** Every row of a paged list. */
export async function everyPage<T>(page: (cursor: string | undefined) => Promise<Page<T>>): Promise<T[]> {
  const rows: T[] = [];
  let cursor: string | undefined;
  do {
    const { items, next } = await page(cursor);
    rows.push(...items);
    cursor = next;
  } while (cursor !== undefined);
  return rows;
}

function toPage(items: unknown[], header: Answer["header"]): Page<unknown> {
  const total = header("x-total-count");
  const next = /[?&]cursor=([^&>]+)[^>]*>; rel="next"/.exec(header("link") ?? "")?.[1];
  return { items, next, ...(total != null && { total: Number(total) }) };
}

function toProblem(status: number, body: unknown): Problem {
  const { error } = (body ?? {}) as { error?: { code?: string; message?: string; details?: Details } };
  const code =
    error?.code !== undefined && Object.hasOwn(problems, error.code) ? (error.code as ProblemCode) : "internal";
  return new Problem(code, error?.details ?? {}, { message: error?.message ?? `The gateway answered ${status}` });
}
