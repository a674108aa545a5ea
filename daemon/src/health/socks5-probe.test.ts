import { createServer, type Server, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { ownSec } from "../../../testing/clock.ts";
import { expectWithin, repeatable } from "../../../testing/deadline.ts";
import { openSocks5Probe } from "./socks5-probe.ts";

/** The burst ends with an answer or with refusals; a loaded machine must not end it earlier. */
const ampleMs = 60_000;

let server: Server | undefined;
afterEach(() => void server?.close());

async function listening(answer: (socket: Socket) => void): Promise<number> {
  server = createServer((socket) => {
    socket.on("error", () => {}); // Who asks hangs up as soon as it knows.
    socket.once("data", () => answer(socket));
  });
  await new Promise<void>((resolve) => server!.listen(0, "127.0.0.1", resolve));
  return (server.address() as { port: number }).port;
}
const asker = (port: number, from?: string) =>
  openSocks5Probe({
    nowMs: () => performance.now(),
    server: { address: "127.0.0.1", port, ...(from !== undefined && { localAddress: from }) },
    onReply: () => {},
    onMissed: () => {},
  });

test("a SOCKS5 server that answers its greeting is alive", async () => {
  const port = await listening((socket) => socket.write(Uint8Array.of(5, 0)));
  expect(await asker(port).burst(ampleMs)).toBe(true);
});

test("it is greeted with the address of the way it is asked through", async () => {
  const callers: (string | undefined)[] = [];
  const port = await listening((socket) => {
    callers.push(socket.remoteAddress);
    socket.write(Uint8Array.of(5, 0));
  });
  expect(await asker(port).burst(ampleMs)).toBe(true);
  expect(await asker(port, "127.0.0.9").burst(ampleMs)).toBe(true);
  expect(new Set(callers)).toEqual(new Set(["127.0.0.1", "127.0.0.9"]));
});

test("without that address it is not greeted at all", async () => {
  const port = await listening((socket) => socket.write(Uint8Array.of(5, 0)));
  expect(await asker(port, "192.0.2.99").burst(ampleMs)).toBe(false);
});

test("a question that was given up is not repeated", async () => {
  const ended = new Promise((resolve) => {
    void listening((socket) => socket.once("error", resolve)).then((port) => asker(port).burst(1000));
  });
  expect(await ended).toMatchObject({ code: "ECONNRESET" });
});

test("one that says something else is not", async () => {
  const port = await listening((socket) => socket.write("HTTP/1.1 400 Bad Request\r\n\r\n"));
  expect(await asker(port).burst(ampleMs)).toBe(false);
});

test("one that says nothing is waited for as long as a burst may take", async () => {
  const port = await listening(() => {});
  const started = performance.now();
  expect(await asker(port).burst(300)).toBe(false);
  expect(performance.now() - started).toBeGreaterThanOrEqual(295);
});

test("where nobody listens a few refusals are enough", repeatable, async () => {
  const port = await listening(() => {});
  await new Promise((resolve) => server!.close(resolve));
  const started = ownSec();
  expect(await asker(port).burst(ampleMs)).toBe(false);
  expectWithin(2.5, { "burst against a closed port": ownSec() - started });
});
