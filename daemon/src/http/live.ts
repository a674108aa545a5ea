import { Readable } from "node:stream";
import type { Announce, Event, EventName } from "@portcullis/contract/events";
import { Problem } from "@portcullis/contract/problem";

/** The event stream, with a history that bridges lost connections. */
export interface Live {
  readonly announce: Announce;
  /** Calls the listener with every event, before the streams have it. */
  readonly onEvent: (listener: (name: EventName) => void) => void;
  /** Server-sent events after `lastEventId`, or from now on, while the listener is authorized. */
  listen(lastEventId: string | undefined, listener?: Partial<Listener>): Readable;
  /** Ends the streams of listeners that are no longer authorized. */
  readonly review: () => void;
  listeners(): number;
  /** How often each event was sent since the daemon started. */
  readonly announced: () => ReadonlyMap<EventName, number>;
  close(): void;
}

/** The owner of a stream. */
export interface Listener {
  readonly isAuthorized: () => boolean;
  /** Equal for all streams of one credential. */
  readonly owner: string;
  readonly isAdmin: boolean;
}

/** Maximum share of all streams for one credential, and at least one. */
const share = 1 / 4;

const eventsKept = 1000;
const heartbeatMs = 15_000;
/** A listener with a larger backlog has stopped reading; its stream is closed. */
const backlogBytes = 1 << 20;

export function openLive({ now, maxStreams }: { now: () => Date; maxStreams: number }): Live {
  const past: Event[] = [];
  const listeners = new Map<Readable, Listener>();
  const announced = new Map<EventName, number>();
  // Ids increase across restarts, so that a client's last id is never in the future.
  let lastId = now().getTime();
  const inner = new Set<(name: EventName) => void>();
  let closed = false;

  function review(): void {
    for (const [listener, { isAuthorized }] of listeners) if (!isAuthorized()) dismiss(listener);
  }
  function dismiss(listener: Readable): void {
    listeners.delete(listener);
    // A listener that does not read would never reach the end.
    if (listener.readableLength > 0) listener.destroy(new Error("The listener is not authorized any more"));
    else listener.push(null);
  }
  const streamsOf = (who: string): Readable[] =>
    [...listeners].flatMap(([stream, { owner }]) => (owner === who ? [stream] : []));

  /** No credential gets all streams. An admin always gets one, at the expense of the credential with the most streams. */
  function enforceLimits({ owner, isAdmin }: Listener): void {
    const own = streamsOf(owner).length;
    const maxOwn = Math.max(1, Math.floor(maxStreams * share));
    if (own >= maxOwn) throw new Problem("limit_reached", { limit: maxOwn, of: "event streams of one credential" });
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
      read: () => {}, // Events are pushed when they happen.
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
      announced.set(event.event, (announced.get(event.event) ?? 0) + 1);
      past.push(event);
      if (past.length > eventsKept) past.shift();
      for (const listener of inner) listener(event.event);
      broadcast(frame(event));
    },
    onEvent: (listener) => void inner.add(listener),
    listen: (lastEventId, { isAuthorized = () => true, owner = "", isAdmin = false } = {}) => {
      if (closed) throw new Problem("engine_unavailable");
      const who = { isAuthorized, owner, isAdmin };
      enforceLimits(who);
      return stream(lastEventId === undefined ? lastId : Number(lastEventId), who);
    },
    review,
    listeners: () => listeners.size,
    announced: () => announced,
    close: () => {
      closed = true;
      clearInterval(heartbeat);
      for (const listener of listeners.keys()) listener.push(null);
      listeners.clear();
    },
  };
}

const frame = (event: Event): string => `id: ${event.id}\nevent: ${event.event}\ndata: ${JSON.stringify(event)}\n\n`;
