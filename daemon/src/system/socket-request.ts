import { createSocket } from "node:dgram";
import { connect } from "node:net";
import { untilReady } from "./async.ts";

export interface Server {
  readonly address: string;
  readonly port: number;
  /** The source address, where the path matters. */
  readonly localAddress?: string;
}

/** Sends bytes to a server over TCP and resolves to the first bytes of its answer, within the limit. */
export const requestTcp = (
  { address, port, localAddress }: Server,
  bytes: Uint8Array,
  limitMs: number,
): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const socket = connect({
      host: address,
      port,
      noDelay: true,
      ...(localAddress !== undefined && { localAddress: localAddress }),
    });
    const limit = setTimeout(() => {
      reject(new Error(`${address} did not answer in time`));
      // The kernel would retransmit a FIN for minutes.
      if (socket.connecting) socket.destroy();
      else socket.resetAndDestroy();
    }, limitMs);
    socket.once("connect", () => socket.write(bytes));
    socket.once("data", (answer: Uint8Array) => {
      resolve(answer);
      // No need to wait for an orderly end.
      socket.resetAndDestroy();
    });
    socket.once("error", reject);
    socket.once("close", () => {
      clearTimeout(limit);
      reject(new Error(`${address} closed the connection without an answer`));
    });
  });

/** Sends text to a Unix socket and resolves to the whole answer. */
export const requestUnix = (path: string, bytes: string, limitMs: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(path);
    const limit = setTimeout(() => socket.destroy(new Error(`${path} did not answer in time`)), limitMs);
    const received: Buffer[] = [];
    socket.once("connect", () => socket.write(bytes));
    socket.on("data", (chunk: Buffer) => received.push(chunk));
    socket.once("end", () => resolve(Buffer.concat(received).toString()));
    socket.once("error", reject);
    socket.once("close", () => {
      clearTimeout(limit);
      reject(new Error(`${path} closed the connection without an answer`));
    });
  });

/** Retries for a while: a program that has just been started opens its socket a little later. Undefined if it does not. */
export const retryUntilOpen = <T>(request: () => Promise<T>, limitMs = 3000): Promise<T | undefined> =>
  untilReady(() => request().catch(() => undefined), { limitMs, everyMs: 20 });

/** Sends one datagram to a server and resolves to the answer. */
export const requestUdp = (
  { address, port }: { readonly address: string; readonly port: number },
  bytes: Uint8Array,
  limitMs: number,
): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const socket = createSocket(address.includes(":") ? "udp6" : "udp4");
    const limit = setTimeout(() => fail(new Error(`${address} did not answer in time`)), limitMs);
    const close = () => {
      clearTimeout(limit);
      socket.close();
    };
    const fail = (error: Error) => {
      close();
      reject(error);
    };
    socket.once("error", fail);
    socket.once("message", (answer) => {
      close();
      resolve(answer);
    });
    socket.connect(port, address, () => socket.send(bytes));
  });

/** The same, to a program on this machine. */
export const requestLoopback = (port: number, bytes: Uint8Array, limitMs: number): Promise<Uint8Array> =>
  requestUdp({ address: "127.0.0.1", port }, bytes, limitMs);
