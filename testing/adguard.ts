import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** What a filter was told, besides being asked how it is. */
interface Told {
  readonly path: string;
  readonly body: unknown;
}

export interface StandIn {
  readonly url: string;
  readonly told: readonly Told[];
  /** What `GET /control/status` answers beyond what it always does. */
  readonly state: Record<string, unknown>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * A filter with the two operations of AdGuard Home's API that the gateway uses, made after its published description
 * (openapi.yaml, version 0.107): `GET /control/status` answers a ServerStatus, `POST /control/protection` takes
 * `enabled` and perhaps `duration` in milliseconds, both behind basic authentication. The program itself is not here.
 */
export async function adguardStandIn({ username, password }: { username: string; password: string }): Promise<StandIn> {
  const told: Told[] = [];
  const state: Record<string, unknown> = { protection_enabled: true };
  const wanted = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = (status: number, body: unknown = "") =>
      response
        .writeHead(status, { "content-type": "application/json" })
        .end(typeof body === "string" ? body : JSON.stringify(body));
    if (request.headers.authorization !== wanted) return void answer(401, "Unauthorized");
    const line = `${request.method} ${request.url}`;
    if (line === "GET /control/status") return void answer(200, { ...required, ...state });
    if (line !== "POST /control/protection") return void answer(404);
    if (request.headers["content-type"] !== "application/json") return void answer(415);
    const body = JSON.parse(await text(request)) as { enabled?: unknown; duration?: unknown };
    if (typeof body.enabled !== "boolean" || !["undefined", "number"].includes(typeof body.duration))
      return void answer(400);
    told.push({ path: "/control/protection", body });
    state["protection_enabled"] = body.enabled;
    answer(200);
  }
  const server = createServer((request, response) => void handle(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    told,
    state,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** The fields of a ServerStatus that the description says are always there. */
const required = {
  dns_addresses: ["127.0.0.1"],
  dns_port: 53,
  http_port: 3000,
  language: "en",
  protection_enabled: true,
  running: true,
  version: "v0.107.0",
};
