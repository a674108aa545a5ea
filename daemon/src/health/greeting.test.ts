import { createServer, type Server, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { openGreeting } from "./greeting.ts";

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
const asker = (port: number) =>
  openGreeting({
    nowMs: () => performance.now(),
    server: { address: "127.0.0.1", port },
    onReply: () => {},
    onMissed: () => {},
  });

test("a SOCKS5 server that answers its greeting is alive", async () => {
  const port = await listening((socket) => socket.write(Uint8Array.of(5, 0)));
  expect(await asker(port).burst(500)).toBe(true);
});

test("one that says something else is not", async () => {
  const port = await listening((socket) => socket.write("HTTP/1.1 400 Bad Request\r\n\r\n"));
  expect(await asker(port).burst(500)).toBe(false);
});

test("one that says nothing is waited for as long as a burst may take", async () => {
  const port = await listening(() => {});
  const started = performance.now();
  expect(await asker(port).burst(300)).toBe(false);
  expect(performance.now() - started).toBeGreaterThanOrEqual(295);
});

test("where nobody listens a few refusals are enough", async () => {
  const port = await listening(() => {});
  await new Promise((resolve) => server!.close(resolve));
  const started = performance.now();
  expect(await asker(port).burst(5000)).toBe(false);
  expect(performance.now() - started).toBeLessThan(2500);
});
