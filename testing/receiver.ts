import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";

/** A request that a receiver of alerts got. */
export interface Received {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly body: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- the tests compare what it contains
  json(): any;
}

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text?: string;
}

interface Pair {
  readonly cert: string;
  readonly key: string;
}

/** An HTTP server, over TLS with a certificate, that keeps what it receives, and answers as the test says. */
export async function openReceiver(
  answer: (request: Received, index: number) => Answer | Promise<Answer> = () => ({}),
  pair?: Pair,
  address = "127.0.0.1",
) {
  const received: Received[] = [];
  let answering = answer;
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const bytes = Buffer.concat(parts);
    const body = bytes.toString();
    const got: Received = { url: request.url!, headers: request.headers, bytes, body, json: () => JSON.parse(body) };
    received.push(got);
    const { status = 200, headers = {}, text = "" } = await answering(got, received.length - 1);
    response.writeHead(status, headers).end(text);
  };
  // A request that its sender ends has no answer.
  const onRequest = (request: IncomingMessage, response: ServerResponse) =>
    void serve(request, response).catch(() => {});
  const secured = pair && createTlsServer(pair, onRequest);
  const server = (secured ?? createServer(onRequest)).listen(0, address);
  await once(server, "listening");
  return {
    received,
    url: `${secured ? "https" : "http"}://${address}:${(server.address() as AddressInfo).port}`,
    /** New connections get it. */
    replace: (next: Pair) => secured?.setSecureContext(next),
    answer: (next: typeof answer) => void (answering = next),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
