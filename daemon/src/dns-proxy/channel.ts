import { readFileSync } from "node:fs";
import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls, createSecureContext, type SecureContext, TLSSocket } from "node:tls";
import type { Route } from "../engines/dns-proxy/dns-proxy.model.ts";

/** TLS unless the upstream is plain. The certificate must match the name or the address of the upstream. */
export function openChannel({ address, port, source, serverName, protocol, tls }: Route, issuers: string): Socket {
  const target = { host: address, port, ...(source === null ? {} : { localAddress: source }) };
  if (protocol === "plain") return connect({ ...target, noDelay: true });
  const isNamed = serverName !== null && isIP(serverName) === 0;
  const socket = connectTls({
    ...target,
    secureContext: contextOf(issuers, tls),
    rejectUnauthorized: true,
    ALPNProtocols: [protocol === "doh" ? "h2" : "dot"],
    // Without a name, the certificate must have the address.
    ...(isNamed ? { servername: serverName } : {}),
  });
  socket.setNoDelay(true);
  return socket;
}

const contexts = new Map<string, SecureContext>();

/** What a mode offers comes with the settings: this program has no sources of the daemon in its sandbox. */
function contextOf(issuers: string, { groups, minVersion }: Route["tls"]): SecureContext {
  const key = `${issuers} ${groups}`;
  const known = contexts.get(key);
  if (known) return known;
  const made = createSecureContext({ ca: readFileSync(issuers), ecdhCurve: groups, minVersion });
  contexts.set(key, made);
  return made;
}

/** How a channel is secured, for the log: the version of TLS and the group of its key exchange. */
export function secured(socket: Socket): string {
  if (!(socket instanceof TLSSocket)) return "connected";
  const { name } = socket.getEphemeralKeyInfo() as { readonly name?: string };
  return `connected with ${[socket.getProtocol(), name].filter(Boolean).join(", ")}`;
}

/** Why a channel has failed, for the log. Where the server refused what the mode offers, it names the mode. */
export function failureOf({ protocol, tls }: Route, { message }: Error): string {
  const isRefusal = message.includes("SSL routines:");
  if (protocol === "plain" || tls.pqMode !== "required" || !isRefusal) return message;
  return `${message.trim()}; pq_crypto_mode "required" offers TLS 1.3 with post-quantum key exchange only`;
}

export interface ChannelNeeds {
  readonly issuers: string;
  readonly nowMs: () => number;
  /** The channel is established; `how` is for the log. */
  readonly onOpen: (how: string) => void;
}

export const connectMs = 4000;
/** An idle connection is closed before the server closes it. */
export const idleMs = 20_000;
