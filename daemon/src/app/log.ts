import { pino } from "pino";
import type { RequestLog } from "../http/server.ts";

export type Log = pino.Logger;

/** Structured log lines on standard output. Callers pass single fields, never whole requests. */
export const createLog = (level: string): Log =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    pino.destination({ fd: 1, sync: true }),
  );

/** Reads are logged at debug, changes and refusals at info, bugs at error. */
export function requestLog(log: Log): RequestLog {
  const levelOf = (method: string, status: number) =>
    status >= 400 || (method !== "GET" && method !== "HEAD") ? "info" : "debug";
  return {
    wants: (method, status) => log.isLevelEnabled(levelOf(method, status)),
    answered: ({ requestId, method, path, status, tookMs, actor, client }) => {
      log[levelOf(method, status)](
        {
          request_id: requestId,
          method,
          path: path.slice(0, 200),
          status,
          took_ms: Math.round(tookMs * 10) / 10,
          actor,
          client,
        },
        "request",
      );
    },
    broken: ({ requestId, method, path }, error) =>
      log.error({ request_id: requestId, method, path: path.slice(0, 200), err: error }, "unexpected failure"),
  };
}
