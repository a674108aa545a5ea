import type { Route } from "../engines/dns-proxy/dns-proxy.model.ts";
import { type ChannelNeeds, connectMs, idleMs, openChannel, secured } from "./channel.ts";
import { deframer, framed, idOf, withId } from "./packet.ts";
import type { Connection } from "./connection.ts";

interface Pending {
  readonly onAnswer: (answer: Buffer) => void;
  readonly onFailure: (error: Error) => void;
}

/** Over TCP or TLS (RFC 7766, RFC 7858): many concurrent queries, distinguished by our own ids. */
export function overStream(route: Route, { issuers, nowMs, onOpen }: ChannelNeeds): Connection {
  const socket = openChannel(route, issuers);
  const pending = new Map<number, Pending>();
  let lastReceivedAtMs = nowMs();
  let nextId = 0;
  let end: Error | undefined;
  const limit = setTimeout(() => close(new Error("no connection in time")), connectMs);

  function close(reason: Error): void {
    if (end) return;
    end = reason;
    clearTimeout(limit);
    socket.destroy();
    for (const { onFailure } of pending.values()) onFailure(reason);
    pending.clear();
  }

  socket.once(route.protocol === "plain" ? "connect" : "secureConnect", () => {
    clearTimeout(limit);
    lastReceivedAtMs = nowMs();
    onOpen(secured(socket));
  });
  socket.setTimeout(idleMs, () => close(new Error("idle")));
  socket.on("error", close);
  socket.on("close", () => close(new Error("the server closed the connection")));
  socket.on(
    "data",
    deframer(
      (answer) => {
        lastReceivedAtMs = nowMs();
        const id = idOf(answer);
        const query = pending.get(id);
        pending.delete(id);
        query?.onAnswer(answer);
      },
      () => close(new Error("the server does not send DNS messages")),
    ),
  );

  return {
    query: (message, onAnswer, onFailure) => {
      if (end) return onFailure(end);
      while (pending.has(nextId)) nextId = (nextId + 1) & 0xffff;
      const id = nextId;
      nextId = (nextId + 1) & 0xffff;
      pending.set(id, { onAnswer, onFailure });
      socket.write(framed(withId(message, id)));
    },
    close,
    isOpen: () => end === undefined,
    lastReceivedAtMs: () => lastReceivedAtMs,
  };
}
