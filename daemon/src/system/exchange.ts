import { connect } from "node:net";

export interface Server {
  readonly address: string;
  readonly port: number;
  /** Which of our own addresses to speak with; any, where it does not matter by which way we are heard. */
  readonly from?: string;
}

/** Says something to a server over TCP and answers the first it says back. It fails when that takes longer than the limit. */
export const exchange = ({ address, port, from }: Server, words: Uint8Array, limitMs: number): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: address, port, noDelay: true, ...(from !== undefined && { localAddress: from }) });
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
