import type { Api } from "@portcullis/contract/endpoint";
import type { Handlers } from "@portcullis/contract/handler";
import type { FastifyInstance } from "fastify";
import { createServer, type ServerOptions } from "../daemon/src/http/server.ts";

/** The API server alone, with the handlers of a test. Every client is an admin unless `identify` is given. */
export const createApiServer = <A extends Api>(
  api: A,
  handlers: Handlers<A>,
  {
    limits,
    ...options
  }: Partial<Omit<ServerOptions<A>, "limits">> & { limits?: Partial<ServerOptions<A>["limits"]> } = {},
): FastifyInstance =>
  createServer({
    api,
    handlers,
    identify: () => ({ actor: "anonymous", role: "admin", via: "open" }),
    idOf: (_, word) => word,
    readYaml: (text) => text,
    ownNames: [],
    limits: { requestsPerMinute: 1e6, loginsPerMinute: 1e6, bodyBytes: 1 << 20, requestTimeoutSec: 30, ...limits },
    checkAnswers: true,
    nowMs: () => performance.now(),
    onAnswer: () => {},
    log: { wants: () => true, answered: () => {}, broken: () => {} },
    ...options,
  });
