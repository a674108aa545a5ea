import { createServer, type Socket } from "node:net";

/** Where programs of this machine bring us what they have to say. */
export interface Reception {
  close(): void;
}

/** Somebody who came in. Nothing it says is read before it is listened to. */
export interface Guest {
  readonly port: number;
  listen(onBytes: (bytes: Uint8Array) => void): void;
  dismiss(): void;
  /** Called once, whoever ended it. */
  onEnd(then: () => void): void;
}

/** Listens on loopback. A door that somebody else has is tried again until it is free. */
export function openReception(port: number, onGuest: (guest: Guest) => void): Reception {
  const server = createServer({ pauseOnConnect: true }, (socket) => onGuest(guestOf(socket)));
  let again: NodeJS.Timeout | undefined;
  let isClosed = false;
  const open = () => void (isClosed || server.listen({ host: "127.0.0.1", port, exclusive: true }));
  server.on("error", () => {
    again = setTimeout(open, tryAgainMs);
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

const tryAgainMs = 500;

function guestOf(socket: Socket): Guest {
  socket.on("error", () => {}); // Whatever went wrong, it ends.
  return {
    port: socket.remotePort ?? 0,
    listen: (onBytes) => {
      socket.on("data", onBytes);
      socket.resume();
    },
    dismiss: () => socket.destroy(),
    onEnd: (then) => void socket.once("close", then),
  };
}
