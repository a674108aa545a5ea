import { randomUUIDv7 } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { expectWithin, repeatable } from "../../../../testing/deadline.ts";
import { startGateway } from "../../../../testing/gateway.ts";
import { folderWithDevices } from "../../../../testing/published-devices.ts";

test("devices: one of 10,000 devices changes in milliseconds, from request to answer", {
  ...repeatable,
  tags: "proof",
}, async () => {
  const ids = Array.from({ length: 10_000 }, () => randomUUIDv7());
  await using gateway = await startGateway({ folder: folderWithDevices(ids) });
  const { client } = gateway;
  expect((await client.devices.list({ query: { limit: 1 } })).total).toBe(10_000);
  const changeOne = (round: number) =>
    client.devices.update({ params: { id: ids[(round * 7919) % ids.length]! }, body: { notes: `round ${round}` } });
  for (let round = 0; round < 5; round++) await changeOne(round);

  const writtenBefore = written();
  const tookMs: number[] = [];
  for (let round = 5; round < 55; round++) {
    const startedAt = performance.now();
    await changeOne(round);
    tookMs.push(performance.now() - startedAt);
  }
  const medianMs = tookMs.toSorted((a, b) => a - b)[25]!;
  const [calledBytes, diskBytes] = written().map((bytes, place) => (bytes - writtenBefore[place]!) / 50);
  process.stdout.write(
    `API with 10,000 devices: median ${medianMs.toFixed(1)} ms, ${calledBytes} bytes in write calls, ${diskBytes} bytes to disk per change\n`,
  );
  expectWithin(0.02, { "median of a change": medianMs / 1000 });
  expect(Math.max(calledBytes!, diskBytes!)).toBeLessThan(100_000);
  expect((await client.status.status()).applied_revision).toBe((await client.status.status()).revision);
});

/** Bytes this process has handed to write calls, and sent to a disk, as the kernel counts them. */
const written = (): number[] =>
  ["wchar", "write_bytes"].map((name) =>
    Number(new RegExp(`^${name}: (\\d+)$`, "m").exec(readFileSync("/proc/self/io", "utf8"))![1]),
  );
