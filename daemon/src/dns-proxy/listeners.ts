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
 * Takes questions over UDP and TCP. Each is answered: whoever asked should not have to wait to learn that nobody knows.
 * The forwarder that comes after this one opens the same doors before this one ends.
 */
export async function openListeners({ address, port, upstream }: Listener): Promise<void> {
  const answerTo = (question: Buffer): Promise<Buffer> => upstream.query(question).catch(() => failed(question));

  const udp = createSocket({ type: "udp4", reusePort: true, recvBufferSize: bufferBytes, sendBufferSize: bufferBytes });
  udp.on("message", (question, from) => {
    if (question.length < headerBytes) return;
    void answerTo(question).then((answer) => {
      const sent = answer.length > maxDatagram ? truncated(question) : answer;
      udp.send(sent, from.port, from.address, () => {}); // Who has gone away needs no answer.
    });
  });

  const tcp = createServer({ noDelay: true }, (socket) => converse(socket, answerTo));
  tcp.maxConnections = maxConnections;

  await Promise.all([
    new Promise<void>((resolve, reject) => udp.once("error", reject).bind(port, address, resolve)),
    new Promise<void>((resolve, reject) =>
      tcp.once("error", reject).listen({ port, host: address, reusePort: true }, resolve),
    ),
  ]);
}

function converse(socket: Socket, answerTo: (question: Buffer) => Promise<Buffer>): void {
  socket.setTimeout(idleMs, () => socket.destroy());
  socket.on("error", () => {}); // Told by the close that follows, which is nobody's business.
  socket.on(
    "data",
    deframer(
      (question) => void answerTo(question).then((answer) => void (socket.writable && socket.write(framed(answer)))),
      () => socket.destroy(),
    ),
  );
}

/** What fits into a packet on every way (DNS flag day 2020); dnsdist and Unbound would take more, but not everything. */
const maxDatagram = 1232;
const bufferBytes = 1 << 20;
const maxConnections = 256;
const idleMs = 30_000;
