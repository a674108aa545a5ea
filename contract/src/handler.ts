import type { Api, Endpoint, InputOf, ResultOf } from "./endpoint.ts";
import type { Role } from "./role.ts";

/** The caller of a request, as the API server identified it. */
export interface Caller {
  readonly actor: string;
  readonly role: Role;
  /** open: authentication is off. local: a reader on the local network. socket: root, or the daemon's own user. */
  readonly via: "open" | "local" | "session" | "key" | "socket";
  /** Id of the session or key. */
  readonly credentialId?: string;
  /** When the session or key ends by itself; null: it does not. */
  readonly expiresAt?: string | null;
}

/** The context of a request, besides its input. */
export interface Call {
  /** Absent if the endpoint needs no credential and the request has none. */
  readonly caller: Caller | undefined;
  /** Recorded in the ledger if the call changes something. */
  readonly cause: { readonly actor: string; readonly action: string; readonly resourceType: string };
  readonly requestId: string;
  /** Remote address of the socket. */
  readonly address: string;
  /** When the connection was opened, by the daemon's monotonic clock. */
  readonly connectedAtMs: number;
  /** Whether the connection itself is encrypted. */
  readonly secure: boolean;
  readonly lastEventId: string | undefined;
  /** The Accept header. */
  readonly accept: string | undefined;
  readonly setHeader: (name: string, value: string) => void;
}

/** Text, or a stream of text or bytes, for endpoints whose response is not JSON. */
type AnswerOf<E extends Endpoint> = E extends { readonly responseType: string }
  ? string | AsyncIterable<string | Uint8Array>
  : ResultOf<E>;

export type Handler<E extends Endpoint> = (input: InputOf<E>, call: Call) => AnswerOf<E> | Promise<AnswerOf<E>>;

/** One handler for every endpoint: a forgotten one is a type error. */
export type HandlersOf<E extends Readonly<Record<string, Endpoint>>> = { readonly [N in keyof E]: Handler<E[N]> };
export type Handlers<A extends Api> = { readonly [S in keyof A]: HandlersOf<A[S]> };
