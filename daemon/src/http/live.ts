import type { Announce, Event, EventName } from "@portcullis/contract/events";
import { Problem } from "@portcullis/contract/problem";

/** Events on their way to whoever listens, with enough of the past to bridge a lost connection. */
export interface Live {
  readonly announce: Announce;
  /** Server-sent events from after `lastEventId`, or from now on. */
  listen(lastEventId: string | undefined): AsyncIterable<string>;
  listeners(): number;
  close(): void;
}

const remembered = 1000;
const heartbeatMs = 15_000;
/** A listener this far behind has stopped reading; it is let go rather than kept in memory. */
const backlogMost = 1000;

interface Listener {
  readonly queue: string[];
  wake: () => void;
  done: boolean;
}

export function openLive({ now, streamsMost }: { now: () => Date; streamsMost: number }): Live {
  const past: Event[] = [];
  const listeners = new Set<Listener>();
  // Ids go on growing across restarts, so that a client's last id never lies in the future.
  let lastId = now().getTime();
  let closed = false;

  function tell(listener: Listener, text: string): void {
    listener.queue.push(text);
    if (listener.queue.length > backlogMost) listener.done = true;
    listener.wake();
  }

  /** Registers itself only once it is read: a client that left before that leaves nothing behind. */
  async function* stream(after: number): AsyncGenerator<string> {
    const missed = past.filter(({ id }) => id > after).map(frame);
    const listener: Listener = { queue: [": welcome\n\n", ...missed], wake: () => {}, done: closed };
    listeners.add(listener);
    const heart = setInterval(() => tell(listener, ": still here\n\n"), heartbeatMs);
    try {
      while (true) {
        if (listener.queue.length > 0) yield listener.queue.splice(0).join("");
        else if (listener.done) return;
        else await new Promise<void>((resolve) => (listener.wake = resolve));
      }
    } finally {
      clearInterval(heart);
      listeners.delete(listener);
    }
  }
  return {
    announce: (name, payload) => {
      lastId += 1;
      const event: Event = {
        id: lastId,
        event: name as EventName,
        at: now().toISOString(),
        data: payload as Record<string, unknown>,
      };
      past.push(event);
      if (past.length > remembered) past.shift();
      for (const listener of listeners) tell(listener, frame(event));
    },
    listen: (lastEventId) => {
      if (closed) throw new Problem("engine_unavailable");
      if (listeners.size >= streamsMost)
        throw new Problem("limit_reached", { limit: streamsMost, of: "event streams" });
      return stream(lastEventId === undefined ? lastId : Number(lastEventId));
    },
    listeners: () => listeners.size,
    close: () => {
      closed = true;
      for (const listener of listeners) {
        listener.done = true;
        listener.wake();
      }
    },
  };
}

const frame = (event: Event): string => `id: ${event.id}\nevent: ${event.event}\ndata: ${JSON.stringify(event)}\n\n`;
