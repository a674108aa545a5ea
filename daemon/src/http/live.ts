import { Readable } from "node:stream";
import type { Announce, Event, EventName } from "@portcullis/contract/events";
import { Problem } from "@portcullis/contract/problem";

/** Events on their way to whoever listens, with enough of the past to bridge a lost connection. */
export interface Live {
  readonly announce: Announce;
  /** Server-sent events from after `lastEventId`, or from now on, for as long as the listener is welcome. */
  listen(lastEventId: string | undefined, listener?: Partial<Listener>): Readable;
  /** Ends the streams of those who are not welcome any more. They would hear nothing more in any case. */
  readonly review: () => void;
  listeners(): number;
  close(): void;
}

/** Who holds a stream. */
export interface Listener {
  readonly isAuthorized: () => boolean;
  /** The same for all streams of one credential. */
  readonly owner: string;
  readonly isAdmin: boolean;
}

/** One credential may have this part of all streams, and at least one. */
const share = 1 / 4;

const eventsKept = 1000;
const heartbeatMs = 15_000;
/** A listener this far behind has stopped reading; it is let go rather than kept in memory. */
const backlogBytes = 1 << 20;

export function openLive({ now, maxStreams }: { now: () => Date; maxStreams: number }): Live {
  const past: Event[] = [];
  const listeners = new Map<Readable, Listener>();
  // Ids go on growing across restarts, so that a client's last id never lies in the future.
  let lastId = now().getTime();
  let closed = false;

  function review(): void {
    for (const [listener, { isAuthorized }] of listeners) if (!isAuthorized()) dismiss(listener);
  }
  function dismiss(listener: Readable): void {
    listeners.delete(listener);
    // One that does not read would never come to its end.
    if (listener.readableLength > 0) listener.destroy(new Error("The listener may not hear the rest"));
    else listener.push(null);
  }
  const streamsOf = (who: string): Readable[] =>
    [...listeners].flatMap(([stream, { owner }]) => (owner === who ? [stream] : []));

  /** No credential takes all streams, and an admin always gets one, at the cost of the credential with most. */
  function enforceLimits({ owner, isAdmin }: Listener): void {
    const own = streamsOf(owner).length;
    const most = Math.max(1, Math.floor(maxStreams * share));
    if (own >= most) throw new Problem("limit_reached", { limit: most, of: "event streams of one credential" });
    if (listeners.size < maxStreams) return;
    if (!isAdmin || own > 0) throw new Problem("limit_reached", { limit: maxStreams, of: "event streams" });
    const owners = [...new Set([...listeners.values()].map((it) => it.owner))].map(streamsOf);
    dismiss(owners.toSorted((one, other) => other.length - one.length)[0]!.at(-1)!);
  }
  function broadcast(text: string): void {
    review();
    for (const listener of listeners.keys()) {
      listener.push(text);
      if (listener.readableLength > backlogBytes) listener.destroy(new Error("The listener does not read"));
    }
  }
  const heartbeat = setInterval(() => broadcast(": still here\n\n"), heartbeatMs).unref();

  function stream(after: number, who: Listener): Readable {
    const listener = new Readable({
      read: () => {}, // What there is to say is pushed when it happens.
      destroy: (error, done) => {
        listeners.delete(listener);
        done(error);
      },
    });
    listeners.set(listener, who);
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
      if (past.length > eventsKept) past.shift();
      broadcast(frame(event));
    },
    listen: (lastEventId, { isAuthorized = () => true, owner = "", isAdmin = false } = {}) => {
      if (closed) throw new Problem("engine_unavailable");
      const who = { isAuthorized, owner, isAdmin };
      enforceLimits(who);
      return stream(lastEventId === undefined ? lastId : Number(lastEventId), who);
    },
    review,
    listeners: () => listeners.size,
    close: () => {
      closed = true;
      clearInterval(heartbeat);
      for (const listener of listeners.keys()) listener.push(null);
      listeners.clear();
    },
  };
}

const frame = (event: Event): string => `id: ${event.id}\nevent: ${event.event}\ndata: ${JSON.stringify(event)}\n\n`;
