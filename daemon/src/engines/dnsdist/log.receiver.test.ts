import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { linux } from "../../system/system.ts";
import { framesOf, type LogRecord } from "./log.parse.ts";
import { openLogReceiver } from "./log.receiver.ts";

/** Bytes of dnsdist, each frame of which is an answer. */
const recorded = Buffer.from(readFileSync(join(import.meta.dirname, "recordings", "log.base64"), "utf8"), "base64");

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

async function receiver(isFrontend: (userId: number) => boolean = () => true) {
  const port = await freePort();
  const batches: (readonly LogRecord[])[] = [];
  const it = openLogReceiver({ system: linux, port, isFrontend, onBatch: (records) => void batches.push(records) });
  const guests: Socket[] = [];
  return {
    counts: it.counts,
    batches,
    heard: () => batches.flat().length,
    call: async (): Promise<Socket> => {
      const guest = connect(port, "127.0.0.1");
      guest.on("error", () => {}); // Being shut out is what some of them are here for.
      guests.push(guest);
      await once(guest, "connect");
      return guest;
    },
    [Symbol.dispose]: () => {
      it.close();
      for (const guest of guests) guest.destroy();
    },
  };
}

/** Whether it is told of by an end or by an error is the kernel's choice. */
const closed = (guest: Socket): Promise<unknown> => new Promise((resolve) => guest.once("close", resolve));

const perRecording = framesOf(recorded).frames.length;

test("several fronts are heard at once, however their words are cut", async () => {
  using it = await receiver();
  const [one, two] = [await it.call(), await it.call()];
  for (const byte of recorded) one.write(Uint8Array.of(byte));
  two.write(recorded.subarray(0, 333));
  two.write(recorded.subarray(333));
  await expect.poll(it.heard).toBe(2 * perRecording);
  expect(it.counts()).toMatchObject({ records: 2 * perRecording, dropped: 0, broken: 0, refused: 0, connections: 2 });
});

test("who the kernel says is no front is not heard", async () => {
  const own = process.getuid!();
  using stranger = await receiver((userId) => userId !== own);
  const guest = await stranger.call();
  guest.write(recorded);
  await closed(guest);
  expect([stranger.heard(), stranger.counts().refused]).toEqual([0, 1]);
  using known = await receiver((userId) => userId === own);
  (await known.call()).write(recorded);
  await expect.poll(known.heard).toBe(perRecording);
});

test("a front that speaks no sense is cut off, and heard when it begins anew", async () => {
  using it = await receiver();
  const confused = await it.call();
  confused.write(Buffer.concat([recorded, Buffer.from([0, 2, 0xff, 0xff]), recorded]));
  await closed(confused);
  (await it.call()).write(recorded);
  await expect.poll(it.heard).toBe(2 * perRecording);
  expect(it.counts()).toMatchObject({ broken: 1 });
});

test("a flood is handed on in small turns, and what is too much is dropped and counted", async () => {
  using it = await receiver();
  const flood = Buffer.concat(Array.from({ length: 3000 }, () => recorded));
  for (let n = 0; n < 4; n++) (await it.call()).write(flood);
  const sent = 4 * 3000 * perRecording;
  await expect.poll(() => it.heard() + it.counts().dropped).toBe(sent);
  expect(Math.max(...it.batches.map(({ length }) => length))).toBeLessThanOrEqual(400);
  expect(it.heard()).toBeGreaterThan(0);
});

test("what has arrived is handed on before it closes", async () => {
  const it = await receiver();
  const guest = await it.call();
  guest.write(recorded);
  await expect.poll(it.heard).toBe(perRecording);
  guest.end(recorded);
  await closed(guest.resume());
  it[Symbol.dispose]();
  expect(it.heard()).toBe(2 * perRecording);
});
