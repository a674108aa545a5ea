import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Records when each connection was opened; the result looks it up by socket. */
export function watchConnections(server: Server, nowMs: () => number): (socket: Socket) => number {
  const opened = new WeakMap<Socket, number>();
  const record = (socket: Socket): void => void opened.set(socket, nowMs());
  // Requests over TLS have the encrypted socket only, which wraps the TCP socket.
  server.on("connection", record);
  server.on("secureConnection", record);
  // An unknown connection may be as old as the process.
  return (socket) => opened.get(socket) ?? 0;
}
