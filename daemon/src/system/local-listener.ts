import { createServer, type Socket } from "node:net";

/** A listener for programs of this machine. */
export interface LocalListener {
  close(): void;
}

/** An accepted connection. Nothing is read before `onBytes` is called. */
export interface LocalConnection {
  readonly port: number;
  onBytes(onBytes: (bytes: Uint8Array) => void): void;
  close(): void;
  /** Called once, whichever side closed it. */
  onClose(then: () => void): void;
}

/** Listens on loopback. While another program has the port, it retries. */
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
  socket.on("error", () => {}); // The close event follows.
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
