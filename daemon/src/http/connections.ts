import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Remembers when each connection was opened; answers by its socket. */
export function watchConnections(server: Server, nowMs: () => number): (socket: Socket) => number {
  const opened = new WeakMap<Socket, number>();
  const remember = (socket: Socket): void => void opened.set(socket, nowMs());
  // Requests over TLS see the encrypted socket only, which is made for the one below it.
  server.on("connection", remember);
  server.on("secureConnection", remember);
  // One that is not known may be as old as the process.
  return (socket) => opened.get(socket) ?? 0;
}
