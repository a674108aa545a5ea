import { randomBytes } from "node:crypto";
import { connect } from "node:net";

/** What to do about what was heard so far: wait for more, say something and forget what was heard, or go. */
export type Turn<T> =
  | { readonly kind: "wait" }
  | { readonly kind: "say"; readonly words: Uint8Array; readonly heardBytes: number }
  | { readonly kind: "done"; readonly result: T };

/** Speaks with a server over TCP, turn by turn. It fails when the whole of it takes longer than the limit. */
export const converse = <T>(
  { address, port }: { readonly address: string; readonly port: number },
  opening: Uint8Array,
  turn: (heard: Uint8Array) => Turn<T>,
  limitMs: number,
): Promise<T> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: address, port, noDelay: true });
    const limit = setTimeout(() => socket.destroy(new Error(`${address}:${port} did not answer in time`)), limitMs);
    let heard: Buffer = Buffer.alloc(0);
    function take(chunk: Uint8Array): void {
      heard = Buffer.concat([heard, chunk]);
      try {
        for (let next = turn(heard); next.kind !== "wait"; next = turn(heard)) {
          if (next.kind === "done") {
            resolve(next.result);
            return void socket.destroy();
          }
          heard = heard.subarray(next.heardBytes);
          socket.write(next.words);
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
      reject(new Error(`${address}:${port} ended the conversation`));
    });
  });

/** Bytes that nobody can guess. */
export const unguessable = (count: number): Uint8Array => randomBytes(count);
