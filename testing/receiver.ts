import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request that a receiver of alerts got. */
export interface Received {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- the tests compare what it contains
  json(): any;
}

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text?: string;
}

/** An HTTP server that keeps what it receives, and answers as the test says. */
export async function openReceiver(
  answer: (request: Received, index: number) => Answer | Promise<Answer> = () => ({}),
) {
  const received: Received[] = [];
  let answering = answer;
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString();
    const got: Received = { url: request.url!, headers: request.headers, body, json: () => JSON.parse(body) };
    received.push(got);
    const { status = 200, headers = {}, text = "" } = await answering(got, received.length - 1);
    response.writeHead(status, headers).end(text);
  };
  // A request that its sender ends has no answer.
  const server = createServer((request, response) => void serve(request, response).catch(() => {})).listen(
    0,
    "127.0.0.1",
  );
  await once(server, "listening");
  return {
    received,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer: (next: typeof answer) => void (answering = next),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
