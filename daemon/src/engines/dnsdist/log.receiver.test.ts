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
    records: () => batches.flat().length,
    call: async (): Promise<Socket> => {
      const connection = connect(port, "127.0.0.1");
      connection.on("error", () => {}); // Some of them are refused.
      guests.push(connection);
      await once(connection, "connect");
      return connection;
    },
    [Symbol.dispose]: () => {
      it.close();
      for (const connection of guests) connection.destroy();
    },
  };
}

/** The kernel decides whether that is an end or an error. */
const closed = (connection: Socket): Promise<unknown> => new Promise((resolve) => connection.once("close", resolve));

const perRecording = framesOf(recorded).frames.length;

test("log receiver: several frontends are received concurrently, however their streams are split", async () => {
  using it = await receiver();
  const [one, two] = [await it.call(), await it.call()];
  for (const byte of recorded) one.write(Uint8Array.of(byte));
  two.write(recorded.subarray(0, 333));
  two.write(recorded.subarray(333));
  await expect.poll(it.records).toBe(2 * perRecording);
  expect(it.counts()).toMatchObject({ records: 2 * perRecording, dropped: 0, broken: 0, refused: 0, connections: 2 });
});

test("log receiver: a connection of another user is refused", async () => {
  const own = process.getuid!();
  using refusing = await receiver((userId) => userId !== own);
  const connection = await refusing.call();
  connection.write(recorded);
  await closed(connection);
  expect([refusing.records(), refusing.counts().refused]).toEqual([0, 1]);
  using known = await receiver((userId) => userId === own);
  (await known.call()).write(recorded);
  await expect.poll(known.records).toBe(perRecording);
});

test("log receiver: a frontend with invalid data is disconnected, and received when it reconnects", async () => {
  using it = await receiver();
  const confused = await it.call();
  confused.write(Buffer.concat([recorded, Buffer.from([0, 2, 0xff, 0xff]), recorded]));
  await closed(confused);
  (await it.call()).write(recorded);
  await expect.poll(it.records).toBe(2 * perRecording);
  expect(it.counts()).toMatchObject({ broken: 1 });
});

test("a flood is handed on in small turns, and what is too much is dropped and counted", async () => {
  using it = await receiver();
  const flood = Buffer.concat(Array.from({ length: 3000 }, () => recorded));
  for (let n = 0; n < 4; n++) (await it.call()).write(flood);
  const sent = 4 * 3000 * perRecording;
  await expect.poll(() => it.records() + it.counts().dropped).toBe(sent);
  expect(Math.max(...it.batches.map(({ length }) => length))).toBeLessThanOrEqual(400);
  expect(it.records()).toBeGreaterThan(0);
});

test("what has arrived is handed on before it closes", async () => {
  const it = await receiver();
  const connection = await it.call();
  connection.write(recorded);
  await expect.poll(it.records).toBe(perRecording);
  connection.end(recorded);
  await closed(connection.resume());
  it[Symbol.dispose]();
  expect(it.records()).toBe(2 * perRecording);
});
