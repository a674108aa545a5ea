import { createSocket } from "node:dgram";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

export interface Server {
  readonly address: string;
  readonly port: number;
  /** Which of our own addresses to speak with; any, where it does not matter by which way we are heard. */
  readonly localAddress?: string;
}

/** Says something to a server over TCP and answers the first it says back. It fails when that takes longer than the limit. */
export const requestTcp = (
  { address, port, localAddress }: Server,
  words: Uint8Array,
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
      // A polite end would be repeated for minutes to one who does not hear.
      if (socket.connecting) socket.destroy();
      else socket.resetAndDestroy();
    }, limitMs);
    socket.once("connect", () => socket.write(words));
    socket.once("data", (answer: Uint8Array) => {
      resolve(answer);
      // Nobody needs to wait for the end of a conversation that has told everything.
      socket.resetAndDestroy();
    });
    socket.once("error", reject);
    socket.once("close", () => {
      clearTimeout(limit);
      reject(new Error(`${address} said nothing`));
    });
  });

/** Says something to whoever listens on a socket of the file system and answers all it says back, until it hangs up. */
export const requestUnix = (path: string, words: string, limitMs: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(path);
    const limit = setTimeout(() => socket.destroy(new Error(`${path} did not answer in time`)), limitMs);
    const said: Buffer[] = [];
    socket.once("connect", () => socket.write(words));
    socket.on("data", (chunk: Buffer) => said.push(chunk));
    socket.once("end", () => resolve(Buffer.concat(said).toString()));
    socket.once("error", reject);
    socket.once("close", () => {
      clearTimeout(limit);
      reject(new Error(`${path} said nothing`));
    });
  });

/** A program that has just been started opens its door a little later: it is asked again for a while. Nothing if it stays shut. */
export async function retryUntilOpen<T>(ask: () => Promise<T>, patienceMs = 3000): Promise<T | undefined> {
  for (const until = performance.now() + patienceMs; ; await pause(20))
    try {
      return await ask();
    } catch {
      if (performance.now() > until) return undefined;
    }
}

/** Says something to a server in one datagram and answers the one that comes back. */
export const requestUdp = (
  { address, port }: { readonly address: string; readonly port: number },
  words: Uint8Array,
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
    socket.connect(port, address, () => socket.send(words));
  });

/** The same, to a program on this machine. */
export const requestLoopback = (port: number, words: Uint8Array, limitMs: number): Promise<Uint8Array> =>
  requestUdp({ address: "127.0.0.1", port }, words, limitMs);
