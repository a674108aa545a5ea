import { createServer, type Server, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { ownSec } from "../../../testing/clock.ts";
import { expectWithin, repeatable } from "../../../testing/deadline.ts";
import { openSocks5Probe } from "./socks5-probe.ts";

/** The burst ends with a reply or with refusals; a loaded machine must not end it earlier. */
const ampleMs = 60_000;

let server: Server | undefined;
afterEach(() => void server?.close());

async function listening(answer: (socket: Socket) => void): Promise<number> {
  server = createServer((socket) => {
    socket.on("error", () => {}); // The probe closes the connection as soon as it has its result.
    socket.once("data", () => answer(socket));
  });
  await new Promise<void>((resolve) => server!.listen(0, "127.0.0.1", resolve));
  return (server.address() as { port: number }).port;
}
const probe = (port: number, from?: string) =>
  openSocks5Probe({
    nowMs: () => performance.now(),
    server: { address: "127.0.0.1", port, ...(from !== undefined && { localAddress: from }) },
    onReply: () => {},
    onMissed: () => {},
  });

test("SOCKS5 probe: a server that answers the method request is up", async () => {
  const port = await listening((socket) => socket.write(Uint8Array.of(5, 0)));
  expect(await probe(port).burst(ampleMs)).toBe(true);
});

test("SOCKS5 probe: the connection has the source address of the outer hop", async () => {
  const sources: (string | undefined)[] = [];
  const port = await listening((socket) => {
    sources.push(socket.remoteAddress);
    socket.write(Uint8Array.of(5, 0));
  });
  expect(await probe(port).burst(ampleMs)).toBe(true);
  expect(await probe(port, "127.0.0.9").burst(ampleMs)).toBe(true);
  expect(new Set(sources)).toEqual(new Set(["127.0.0.1", "127.0.0.9"]));
});

test("SOCKS5 probe: without that source address there is no connection", async () => {
  const port = await listening((socket) => socket.write(Uint8Array.of(5, 0)));
  expect(await probe(port, "192.0.2.99").burst(ampleMs)).toBe(false);
});

test("SOCKS5 probe: a connection that timed out is reset", async () => {
  const ended = new Promise((resolve) => {
    void listening((socket) => socket.once("error", resolve)).then((port) => probe(port).burst(1000));
  });
  expect(await ended).toMatchObject({ code: "ECONNRESET" });
});

test("SOCKS5 probe: a server that answers with another protocol is not up", async () => {
  const port = await listening((socket) => socket.write("HTTP/1.1 400 Bad Request\r\n\r\n"));
  expect(await probe(port).burst(ampleMs)).toBe(false);
});

test("SOCKS5 probe: a server without an answer is awaited for the time limit of the burst", async () => {
  const port = await listening(() => {});
  const started = performance.now();
  expect(await probe(port).burst(300)).toBe(false);
  expect(performance.now() - started).toBeGreaterThanOrEqual(295);
});

test("SOCKS5 probe: a closed port ends the burst after a few refusals", repeatable, async () => {
  const port = await listening(() => {});
  await new Promise((resolve) => server!.close(resolve));
  const started = ownSec();
  expect(await probe(port).burst(ampleMs)).toBe(false);
  expectWithin(2.5, { "burst against a closed port": ownSec() - started });
});
