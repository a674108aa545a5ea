import { createSocket } from "node:dgram";
import { createServer, type Socket } from "node:net";
import { deframer, failed, framed, headerBytes, truncated } from "./packet.ts";
import type { Upstream } from "./upstream.ts";

interface Listener {
  readonly address: string;
  readonly port: number;
  readonly upstream: Upstream;
}

/**
 * Takes queries over UDP and TCP. Each gets an answer: a client must not have to wait for a timeout.
 * The next DNS proxy opens the same ports before this one ends.
 */
export async function openListeners({ address, port, upstream }: Listener): Promise<void> {
  const answerTo = (query: Buffer): Promise<Buffer> => upstream.query(query).catch(() => failed(query));

  const udp = createSocket({ type: "udp4", reusePort: true, recvBufferSize: bufferBytes, sendBufferSize: bufferBytes });
  udp.on("message", (query, from) => {
    if (query.length < headerBytes) return;
    void answerTo(query).then((answer) => {
      const sent = answer.length > maxDatagram ? truncated(query) : answer;
      udp.send(sent, from.port, from.address, () => {}); // The client may be gone.
    });
  });

  const tcp = createServer({ noDelay: true }, (socket) => serve(socket, answerTo));
  tcp.maxConnections = maxConnections;

  await Promise.all([
    new Promise<void>((resolve, reject) => udp.once("error", reject).bind(port, address, resolve)),
    new Promise<void>((resolve, reject) =>
      tcp.once("error", reject).listen({ port, host: address, reusePort: true }, resolve),
    ),
  ]);
}

function serve(socket: Socket, answerTo: (query: Buffer) => Promise<Buffer>): void {
  socket.setTimeout(idleMs, () => socket.destroy());
  socket.on("error", () => {}); // The close event follows.
  socket.on(
    "data",
    deframer(
      (query) => void answerTo(query).then((answer) => void (socket.writable && socket.write(framed(answer)))),
      () => socket.destroy(),
    ),
  );
}

/** Fits into a packet on every path (DNS flag day 2020). */
const maxDatagram = 1232;
const bufferBytes = 1 << 20;
const maxConnections = 256;
const idleMs = 30_000;
