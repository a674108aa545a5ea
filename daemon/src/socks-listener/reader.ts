import type { Socket } from "node:net";

export interface Reader {
  /** The next bytes. Rejects when the client ends before. */
  readonly take: (size: number) => Promise<Buffer>;
  /** Leaves what was not taken in the socket, for what follows. */
  readonly release: () => void;
}

/**
 * Bytes of a handshake. Not with `readable` events: while a part of the bytes is in the buffer of the socket, adding a listener emits
 * another one at once, so that a client that sends half a message would keep the program busy.
 */
export function readerOf(client: Socket): Reader {
  let buffer: Buffer = Buffer.alloc(0);
  let hasEnded = false;
  let wake = (): void => {};
  const onData = (part: Buffer): void => {
    buffer = Buffer.concat([buffer, part]);
    wake();
  };
  const onEnd = (): void => {
    hasEnded = true;
    wake();
  };
  client.on("data", onData).on("end", onEnd).on("close", onEnd);
  return {
    take: async (size) => {
      while (buffer.length < size) {
        if (hasEnded) throw new Error("The client has ended");
        await new Promise<void>((resolve) => (wake = resolve));
      }
      const taken = buffer.subarray(0, size);
      buffer = buffer.subarray(size);
      return taken;
    },
    release: () => {
      client.pause();
      client.off("data", onData).off("end", onEnd).off("close", onEnd);
      if (buffer.length > 0) client.unshift(buffer);
    },
  };
}
