import { connect } from "node:net";

/** Says something to a server over TCP and answers the first it says back. It fails when that takes longer than the limit. */
export const exchange = (
  { address, port }: { readonly address: string; readonly port: number },
  words: Uint8Array,
  limitMs: number,
): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: address, port, noDelay: true });
    const limit = setTimeout(() => socket.destroy(new Error(`${address} did not answer in time`)), limitMs);
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
