import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A request that changes the filter. */
interface ReceivedRequest {
  readonly path: string;
  readonly body: unknown;
}

export interface FakeAdguard {
  readonly url: string;
  readonly received: readonly ReceivedRequest[];
  /** Fields that `GET /control/status` adds to the required ones. */
  readonly state: Record<string, unknown>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * The two operations of AdGuard Home's API that the gateway uses, as in its openapi.yaml (version 0.107): `GET /control/status`
 * returns a ServerStatus, `POST /control/protection` takes `enabled` and optionally `duration` in milliseconds, both with
 * basic authentication.
 */
export async function fakeAdguard({
  username,
  password,
}: {
  username: string;
  password: string;
}): Promise<FakeAdguard> {
  const received: ReceivedRequest[] = [];
  const state: Record<string, unknown> = { protection_enabled: true };
  const expectedAuthorization = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = (status: number, body: unknown = "") =>
      response
        .writeHead(status, { "content-type": "application/json" })
        .end(typeof body === "string" ? body : JSON.stringify(body));
    if (request.headers.authorization !== expectedAuthorization) return void answer(401, "Unauthorized");
    const line = `${request.method} ${request.url}`;
    if (line === "GET /control/status") return void answer(200, { ...required, ...state });
    if (line !== "POST /control/protection") return void answer(404);
    if (request.headers["content-type"] !== "application/json") return void answer(415);
    const body = JSON.parse(await text(request)) as { enabled?: unknown; duration?: unknown };
    if (typeof body.enabled !== "boolean" || !["undefined", "number"].includes(typeof body.duration))
      return void answer(400);
    received.push({ path: "/control/protection", body });
    state["protection_enabled"] = body.enabled;
    answer(200);
  }
  const server = createServer((request, response) => void handle(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    state,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** The required fields of a ServerStatus. */
const required = {
  dns_addresses: ["127.0.0.1"],
  dns_port: 53,
  http_port: 3000,
  language: "en",
  protection_enabled: true,
  running: true,
  version: "v0.107.0",
};
