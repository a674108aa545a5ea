import { createSocket, type Socket } from "node:dgram";

/** Receives what is sent to a group: a multicast address, or the broadcast address. It sends nothing. */
export interface GroupReceiver {
  /** undefined: it receives; otherwise why not. */
  readonly problem: () => ReceiverProblem | undefined;
  readonly close: () => void;
}

export type ReceiverProblem = { readonly kind: "overloaded" } | { readonly kind: "failed"; readonly message: string };

interface Needs {
  readonly address: string;
  readonly port: number;
  /** The gateway's own addresses on the interfaces by which it joins; those of an interface that is new are joined soon. */
  readonly joined: () => readonly string[];
  readonly onDatagram: (bytes: Uint8Array, sender: string) => void;
}

/**
 * The socket is bound to the group's address, so that it gets no other packet, and shares its port with other programs. More
 * datagrams per second than a network has reason for close it for a while: processing them would take time from everything else.
 */
export function receiveGroup({ address, port, joined, onDatagram }: Needs): GroupReceiver {
  const isMulticast = !address.startsWith("255.");
  let socket: Socket | undefined;
  let problem: ReceiverProblem | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let second = { startedAtMs: -Infinity, datagrams: 0 };

  function open(): void {
    const opened = createSocket({ type: "udp4", reuseAddr: true });
    socket = opened;
    opened.on("error", ({ message }) => again({ kind: "failed", message }));
    opened.on("message", (bytes, { address: sender }) => {
      const now = performance.now();
      if (now - second.startedAtMs > 1000) second = { startedAtMs: now, datagrams: 0 };
      second.datagrams += 1;
      if (second.datagrams > maxPerSecond) again({ kind: "overloaded" });
      else onDatagram(bytes, sender);
    });
    opened.bind({ address, port }, () => {
      problem = undefined;
      join();
    });
  }

  /** An interface that was joined already answers with an error, and nothing changes. */
  function join(): void {
    if (isClosed || !socket) return;
    for (const own of isMulticast ? joined() : []) {
      try {
        socket.addMembership(address, own);
      } catch {
        // Joined already, or the interface is gone since: the next round tries again.
      }
    }
    timer = setTimeout(join, joinMs);
    timer.unref();
  }

  function again(reason: ReceiverProblem): void {
    if (isClosed || !socket) return;
    problem = reason;
    clearTimeout(timer);
    socket.removeAllListeners("message").close();
    socket = undefined;
    timer = setTimeout(open, retryMs);
    timer.unref();
  }

  open();
  return {
    problem: () => problem,
    close: () => {
      isClosed = true;
      clearTimeout(timer);
      socket?.close();
    },
  };
}

const joinMs = 10_000;
const retryMs = 30_000;
const maxPerSecond = 2000;
