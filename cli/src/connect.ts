import { isIP } from "node:net";
import { once } from "node:events";
import { connect, type TLSSocket } from "node:tls";
import { pinOf } from "./trust.ts";

export interface Peer {
  /** Whether a certificate authority of this system signed the certificate, and its name matches. */
  readonly isVerified: boolean;
  readonly pin: string;
}

/** Opens a TLS connection and checks the peer before it sends any byte of a request. */
export async function openTls(
  { hostname, port }: { readonly hostname: string; readonly port: number },
  judge: (peer: Peer) => void,
): Promise<TLSSocket> {
  const socket = connect({
    host: hostname,
    port,
    ALPNProtocols: ["http/1.1"],
    // `judge` decides below, with the pin.
    rejectUnauthorized: false,
    ...(isIP(hostname) === 0 && { servername: hostname }),
  });
  try {
    await once(socket, "secureConnect");
    judge({ isVerified: socket.authorized, pin: pinOf(socket.getPeerX509Certificate()!) });
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}
