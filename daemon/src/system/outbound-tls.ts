import type { IncomingMessage } from "node:http";
import { request, type RequestOptions } from "node:https";
import { connect, type ConnectionOptions, type TLSSocket } from "node:tls";
import { offers, type PqMode } from "../net/key-exchange.ts";

/*
 * Every TLS session that the daemon opens is opened here, with the key exchange of the mode. An architecture test finds a client that
 * opens one by itself. A session that is open keeps what it has agreed upon.
 */

export const connectTls = (pqMode: PqMode, options: ConnectionOptions): TLSSocket =>
  connect({ ...options, ...tlsOptions(pqMode) });

/** In a session of its own: one that is open may have another mode. */
export const requestHttps = (
  pqMode: PqMode,
  url: URL | string,
  options: RequestOptions,
  onResponse: (response: IncomingMessage) => void,
) => request(url, { ...options, agent: false, ...tlsOptions(pqMode) }, onResponse);

/** For a library that opens sessions itself. */
export const tlsOptions = (pqMode: PqMode): Pick<ConnectionOptions, "ecdhCurve" | "minVersion"> => ({
  ecdhCurve: offers[pqMode].groups,
  minVersion: offers[pqMode].minVersion,
});

/** The error of a session. Where the server refused what the mode required offers, its message names the mode. */
export function tlsError(pqMode: PqMode, error: Error): Error {
  const { code } = error as { readonly code?: unknown };
  const [refusal] = refusals.exec(`${typeof code === "string" ? code : ""} ${error.message}`) ?? [];
  if (pqMode !== "required" || refusal === undefined) return error;
  const cause = refusal.toLowerCase().replaceAll("_", " ");
  return new Error(`${refusedByMode} (${cause})`, { cause: error });
}

const refusedByMode =
  'the server did not accept a TLS 1.3 session with post-quantum key exchange, which pq_crypto_mode "required" demands';

/** Words of the TLS library, with those of Node for a connection that ended during the handshake. */
const refusals =
  /handshake.failure|(?:unsupported|alert).protocol(?:.version)?|wrong.version.number|insufficient.security|illegal.parameter|disconnected before secure TLS/i;
