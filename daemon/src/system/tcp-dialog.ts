import { randomBytes } from "node:crypto";
import { connect } from "node:net";

/** The reaction to the bytes received so far: wait for more, send bytes and discard the consumed ones, or finish. */
export type DialogStep<T> =
  | { readonly kind: "wait" }
  | { readonly kind: "send"; readonly bytes: Uint8Array; readonly consumedBytes: number }
  | { readonly kind: "done"; readonly result: T };

/** A dialog with a server over TCP. It fails when the whole dialog takes longer than the limit. */
export const tcpDialog = <T>(
  { address, port }: { readonly address: string; readonly port: number },
  opening: Uint8Array,
  turn: (received: Uint8Array) => DialogStep<T>,
  limitMs: number,
): Promise<T> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: address, port, noDelay: true });
    const limit = setTimeout(() => socket.destroy(new Error(`${address}:${port} did not answer in time`)), limitMs);
    let received: Buffer = Buffer.alloc(0);
    function take(chunk: Uint8Array): void {
      received = Buffer.concat([received, chunk]);
      try {
        for (let next = turn(received); next.kind !== "wait"; next = turn(received)) {
          if (next.kind === "done") {
            resolve(next.result);
            return void socket.destroy();
          }
          received = received.subarray(next.consumedBytes);
          socket.write(next.bytes);
        }
      } catch (error) {
        socket.destroy(error as Error);
      }
    }
    socket.once("connect", () => socket.write(opening));
    socket.on("data", take);
    socket.once("error", reject);
    socket.once("close", () => {
      clearTimeout(limit);
      reject(new Error(`${address}:${port} closed the connection`));
    });
  });

/** Cryptographically random bytes. */
export const secureRandomBytes = (count: number): Uint8Array => randomBytes(count);
