import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";

/** How long a request that is under way when the gateway stops has to come to its end. */
const graceMs = 1000;

/** Sees to it that a stop ends soon, whoever is still connected. Answers whether one has begun. */
export function stopWithGrace(app: FastifyInstance): () => boolean {
  const sockets = new Set<Socket>();
  let stopping = false;
  // Node can close the connections that speak HTTP; one that never said hello in TLS is not among them.
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
