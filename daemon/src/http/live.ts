import { Readable } from "node:stream";
import type { Announce, Event, EventName } from "@portcullis/contract/events";
import { Problem } from "@portcullis/contract/problem";

/** Events on their way to whoever listens, with enough of the past to bridge a lost connection. */
export interface Live {
  readonly announce: Announce;
  /** Server-sent events from after `lastEventId`, or from now on, for as long as the listener is welcome. */
  listen(lastEventId: string | undefined, isWelcome?: () => boolean): Readable;
  /** Ends the streams of those who are not welcome any more. They would hear nothing more in any case. */
  readonly review: () => void;
  listeners(): number;
  close(): void;
}

const remembered = 1000;
const heartbeatMs = 15_000;
/** A listener this far behind has stopped reading; it is let go rather than kept in memory. */
const backlogBytes = 1 << 20;

export function openLive({ now, streamsMost }: { now: () => Date; streamsMost: number }): Live {
  const past: Event[] = [];
  const listeners = new Map<Readable, () => boolean>();
  // Ids go on growing across restarts, so that a client's last id never lies in the future.
  let lastId = now().getTime();
  let closed = false;

  function review(): void {
    for (const [listener, isWelcome] of listeners)
      if (!isWelcome()) {
        listeners.delete(listener);
        // One that does not read would never come to its end.
        if (listener.readableLength > 0) listener.destroy(new Error("The listener may not hear the rest"));
        else listener.push(null);
      }
  }
  function tellAll(text: string): void {
    review();
    for (const listener of listeners.keys()) {
      listener.push(text);
      if (listener.readableLength > backlogBytes) listener.destroy(new Error("The listener does not read"));
    }
  }
  const heart = setInterval(() => tellAll(": still here\n\n"), heartbeatMs).unref();

  function stream(after: number, isWelcome: () => boolean): Readable {
    const listener = new Readable({
      read: () => {}, // What there is to say is pushed when it happens.
      destroy: (error, done) => {
        listeners.delete(listener);
        done(error);
      },
    });
    listeners.set(listener, isWelcome);
    const missed = past.filter(({ id }) => id > after).map(frame);
    listener.push([": welcome\n\n", ...missed].join(""));
    return listener;
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
      tellAll(frame(event));
    },
    listen: (lastEventId, isWelcome = () => true) => {
      if (closed) throw new Problem("engine_unavailable");
      if (listeners.size >= streamsMost)
        throw new Problem("limit_reached", { limit: streamsMost, of: "event streams" });
      return stream(lastEventId === undefined ? lastId : Number(lastEventId), isWelcome);
    },
    review,
    listeners: () => listeners.size,
    close: () => {
      closed = true;
      clearInterval(heart);
      for (const listener of listeners.keys()) listener.push(null);
      listeners.clear();
    },
  };
}

const frame = (event: Event): string => `id: ${event.id}\nevent: ${event.event}\ndata: ${JSON.stringify(event)}\n\n`;
