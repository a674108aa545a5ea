import type { Route } from "../engines/dns-proxy/dns-proxy.model.ts";
import { overHttp2 } from "./http2.ts";
import { idOf, withId } from "./packet.ts";
import { overStream } from "./stream.ts";
import type { Connection } from "./connection.ts";

export interface Upstream {
  /** Rejects when there is no answer in time. */
  query(question: Buffer): Promise<Buffer>;
}

interface Needs {
  readonly issuers: string;
  readonly nowMs: () => number;
  readonly log: (line: string) => void;
}

/** Asks one upstream over one connection, which is opened when it is needed and used for as long as it lives. */
export function openUpstream(route: Route, { issuers, nowMs, log }: Needs): Upstream {
  let connection: Connection | undefined;
  let inFlight = 0;
  let trouble: string | undefined;

  function note(now: string): void {
    if (trouble === now) return;
    trouble = now;
    log(`${route.name}: ${now}`);
  }

  function current(): Connection {
    if (connection?.isOpen() === true) return connection;
    const open = route.protocol === "doh" ? overHttp2 : overStream;
    connection = open(route, { issuers, nowMs, onOpen: note });
    return connection;
  }

  const attempt = (question: Buffer, untilMs: number): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      const over = current();
      const askedAtMs = nowMs();
      const limit = setTimeout(() => {
        const error = new Error("no answer in time");
        // One that has said nothing since is dead, whatever TCP thinks of it.
        if (over.lastReceivedAtMs() < askedAtMs) over.close(error);
        reject(error);
      }, untilMs - askedAtMs);
      over.query(
        question,
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
    query: async (question) => {
      if (inFlight >= maxInFlight) throw new Error("too many questions at once");
      inFlight += 1;
      const wasOpen = connection?.isOpen() === true;
      const untilMs = nowMs() + answerMs;
      try {
        const answer = await attempt(question, untilMs).catch((error: unknown) => {
          // A server may hang up whenever it likes: what was asked just then is asked again, once.
          if (wasOpen && nowMs() < untilMs - minMs) return attempt(question, untilMs);
          throw error;
        });
        return withId(answer, idOf(question));
      } catch (error) {
        note((error as Error).message);
        throw error;
      } finally {
        inFlight -= 1;
      }
    },
  };
}

const answerMs = 4000;
/** In less nobody can be called and answer. */
const minMs = 500;
const maxInFlight = 1024;
