import { readFileSync } from "node:fs";
import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls, createSecureContext, type SecureContext } from "node:tls";
import type { Route } from "../engines/dns-proxy/dns-proxy.model.ts";

/** TLS unless the upstream is plain. The certificate must match the name or the address of the upstream. */
export function openChannel({ address, port, source, serverName, protocol }: Route, issuers: string): Socket {
  const target = { host: address, port, ...(source === null ? {} : { localAddress: source }) };
  if (protocol === "plain") return connect({ ...target, noDelay: true });
  const isNamed = serverName !== null && isIP(serverName) === 0;
  const socket = connectTls({
    ...target,
    secureContext: contextOf(issuers),
    rejectUnauthorized: true,
    ALPNProtocols: [protocol === "doh" ? "h2" : "dot"],
    // Without a name, the certificate must have the address.
    ...(isNamed ? { servername: serverName } : {}),
  });
  socket.setNoDelay(true);
  return socket;
}

const contexts = new Map<string, SecureContext>();

function contextOf(issuers: string): SecureContext {
  const known = contexts.get(issuers);
  if (known) return known;
  const ca = readFileSync(issuers);
  const made = firstThatWorks(groups, (ecdhCurve) => createSecureContext({ ca, ecdhCurve, minVersion: "TLSv1.2" }));
  contexts.set(issuers, made);
  return made;
}

/** Post-quantum key exchange where both sides support it: recorded traffic stays unreadable. */
const groups = ["X25519MLKEM768:X25519:P-256:P-384", "X25519:P-256:P-384"];

function firstThatWorks<T, R>([first, ...others]: readonly T[], make: (of: T) => R): R {
  try {
    return make(first!);
  } catch (error) {
    if (others.length === 0) throw error;
    return firstThatWorks(others, make);
  }
}

/** How a channel is secured, for the log. */
export function secured(socket: Socket): string {
  if (!("getProtocol" in socket)) return "connected";
  const { getProtocol } = socket as { getProtocol: () => string | null };
  return `connected with ${getProtocol.call(socket) ?? "TLS"}`;
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
