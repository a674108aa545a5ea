import type { Route } from "../engines/dns-proxy/dns-proxy.model.ts";
import { failureOf } from "./channel.ts";
import { overHttp2 } from "./http2.ts";
import { idOf, withId } from "./packet.ts";
import { overStream } from "./stream.ts";
import type { Connection } from "./connection.ts";

export interface Upstream {
  /** Rejects when there is no answer in time. */
  query(message: Buffer): Promise<Buffer>;
}

interface Needs {
  readonly issuers: string;
  readonly nowMs: () => number;
  readonly log: (line: string) => void;
}

/** Queries one upstream over one connection, which is opened on demand and reused while it is open. */
export function openUpstream(route: Route, { issuers, nowMs, log }: Needs): Upstream {
  let connection: Connection | undefined;
  let inFlight = 0;
  let lastState: string | undefined;

  function note(now: string): void {
    if (lastState === now) return;
    lastState = now;
    log(`${route.name}: ${now}`);
  }

  function current(): Connection {
    if (connection?.isOpen() === true) return connection;
    const open = route.protocol === "doh" ? overHttp2 : overStream;
    connection = open(route, { issuers, nowMs, onOpen: note });
    return connection;
  }

  const attempt = (message: Buffer, untilMs: number): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      const over = current();
      const sentAtMs = nowMs();
      const limit = setTimeout(() => {
        const error = new Error("no answer in time");
        // No data since the query: the connection is dead, whatever TCP reports.
        if (over.lastReceivedAtMs() < sentAtMs) over.close(error);
        reject(error);
      }, untilMs - sentAtMs);
      over.query(
        message,
        (answer) => {
          clearTimeout(limit);
          resolve(answer);
        },
        (error) => {
          clearTimeout(limit);
          reject(error);
        },
      );
    });

  return {
    query: async (message) => {
      if (inFlight >= maxInFlight) throw new Error("too many concurrent queries");
      inFlight += 1;
      const wasOpen = connection?.isOpen() === true;
      const untilMs = nowMs() + answerMs;
      try {
        const answer = await attempt(message, untilMs).catch((error: unknown) => {
          // A server may close the connection at any time: a query in flight is sent again, once.
          if (wasOpen && nowMs() < untilMs - minMs) return attempt(message, untilMs);
          throw error;
        });
        return withId(answer, idOf(message));
      } catch (error) {
        note(failureOf(route, error as Error));
        throw error;
      } finally {
        inFlight -= 1;
      }
    },
  };
}

const answerMs = 4000;
/** A retry needs at least this long. */
const minMs = 500;
const maxInFlight = 1024;
