import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";

/** Time for requests in progress to finish when the gateway stops. */
const graceMs = 1000;

/** Closes all connections after the grace period of a stop. The result is true once a stop has begun. */
export function stopWithGrace(app: FastifyInstance): () => boolean {
  const sockets = new Set<Socket>();
  let stopping = false;
  // Node closes HTTP connections only; a connection without a completed TLS handshake is not among them.
  app.server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  app.addHook("preClose", (done) => {
    stopping = true;
    setTimeout(() => sockets.forEach((socket) => socket.destroy()), graceMs).unref();
    done();
  });
  return () => stopping;
}
