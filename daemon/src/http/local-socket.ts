import { chmodSync, lstatSync, mkdirSync, mkdtempSync, renameSync, rmSync, rmdirSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { Socket } from "node:net";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import type { FastifyInstance } from "fastify";
import { refuseSocket } from "./failures.ts";
import { markLocal } from "./peers.ts";
import { answerRawEvents } from "./server.ts";

interface Options {
  /** The server of the TCP port: its routes, checks and log. */
  readonly app: FastifyInstance;
  readonly path: string;
  readonly requestTimeoutMs: number;
}

/** The kernel lets only root and the owner connect. */
const socketMode = 0o600;

/**
 * The API on a Unix socket, for the administrator of the machine. Node cannot read the peer's credentials (SO_PEERCRED), so the
 * file permissions are used: the kernel requires write permission to connect. Owner and mode of the file are checked again for
 * every connection.
 */
export async function openLocalSocket({ app, path, requestTimeoutMs }: Options): Promise<() => Promise<void>> {
  const user = userInfo().username;
  const server = createServer(
    { requireHostHeader: false, requestTimeout: requestTimeoutMs, connectionsCheckingInterval: requestTimeoutMs / 4 },
    (request, response) => app.routing(request, response),
  );
  const sockets = new Set<Socket>();
  server.on("clientError", refuseSocket);
  answerRawEvents(server);
  server.on("connection", (socket) => {
    if (!isPrivate(path)) return void socket.destroy();
    markLocal(socket, user);
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  const inode = await bind(server, path);
  return () =>
    new Promise((closed) => {
      if (lstatSync(path, { throwIfNoEntry: false })?.ino === inode) rmSync(path);
      server.close(() => closed());
      for (const socket of sockets) socket.destroy();
    });
}

/** Creates the socket in a private folder, sets its mode and moves it. A socket that a crash left is replaced. */
async function bind(server: Server, path: string): Promise<number> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = mkdtempSync(join(dirname(path), ".api-"));
  try {
    await new Promise<void>((listening, failed) => {
      server.once("error", failed);
      server.listen(join(temporary, "s"), listening);
    });
    chmodSync(join(temporary, "s"), socketMode);
    renameSync(join(temporary, "s"), path);
  } catch (error) {
    server.close();
    throw error;
  } finally {
    rmSync(join(temporary, "s"), { force: true });
    rmdirSync(temporary);
  }
  return lstatSync(path).ino;
}

function isPrivate(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found !== undefined && found.uid === process.getuid?.() && (found.mode & 0o777) === socketMode;
}
