import { createServer, type Socket } from "node:net";

/** Where programs of this machine bring us what they have to say. */
export interface LocalListener {
  close(): void;
}

/** Somebody who came in. Nothing it says is read before it is listened to. */
export interface LocalConnection {
  readonly port: number;
  onBytes(onBytes: (bytes: Uint8Array) => void): void;
  close(): void;
  /** Called once, whoever ended it. */
  onClose(then: () => void): void;
}

/** Listens on loopback. A door that somebody else has is tried again until it is free. */
export function listenLocally(port: number, onGuest: (guest: LocalConnection) => void): LocalListener {
  const server = createServer({ pauseOnConnect: true }, (socket) => onGuest(connectionOf(socket)));
  let again: NodeJS.Timeout | undefined;
  let isClosed = false;
  const open = () => void (isClosed || server.listen({ host: "127.0.0.1", port, exclusive: true }));
  server.on("error", () => {
    again = setTimeout(open, retryMs);
    again.unref();
  });
  open();
  return {
    close: () => {
      isClosed = true;
      clearTimeout(again);
      server.close();
    },
  };
}

const retryMs = 500;

function connectionOf(socket: Socket): LocalConnection {
  socket.on("error", () => {}); // Whatever went wrong, it ends.
  return {
    port: socket.remotePort ?? 0,
    onBytes: (onBytes) => {
      socket.on("data", onBytes);
      socket.resume();
    },
    close: () => socket.destroy(),
    onClose: (then) => void socket.once("close", then),
  };
}
