import { randomUUIDv7 } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { expectWithin, repeatable } from "../../../../testing/deadline.ts";
import { temporaryFolder } from "../../../../testing/folder.ts";
import { startGateway } from "../../../../testing/gateway.ts";
import { openLedger } from "../../ledger/ledger.ts";
import type { StagedDevice } from "./devices.service.ts";

test("devices: one of 10,000 devices changes in milliseconds, from request to answer", {
  ...repeatable,
  tags: "proof",
}, async () => {
  const ids = Array.from({ length: 10_000 }, () => randomUUIDv7());
  await using gateway = await startGateway({ folder: folderWith(ids) });
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

/** A state folder in which these devices have been published already: making them one by one would take a minute. */
function folderWith(ids: readonly string[]): ReturnType<typeof temporaryFolder> {
  const folder = temporaryFolder();
  mkdirSync(join(folder.path, "state"), { mode: 0o700 });
  const ledger = openLedger({
    path: join(folder.path, "state", "portcullis.db"),
    kinds: { device: "at-once" },
    now: () => new Date(),
    refuse: (refusal) => new Error(refusal),
    keepRevisions: 100,
  });
  const cause = { actor: "system", action: "create_device", resourceType: "device" };
  ledger.change(cause, (draft) => ids.forEach((id, place) => draft.put("device", device(id, place))));
  ledger.close();
  return folder;
}

const device = (id: string, place: number): StagedDevice => ({
  id,
  name: `Device ${place}`,
  mac: `02:00:00:00:${(place >> 8).toString(16).padStart(2, "0")}:${(place & 255).toString(16).padStart(2, "0")}`,
  hostname: `device-${place}.lan`,
  ips: [`10.0.${place >> 8}.${place & 255}`],
  vendor: "Acme",
  state: "known",
  notes: "",
  trust_class: null,
  privacy_class: null,
  profile_id: null,
  group_ids: [],
  first_seen: "2030-01-01T00:00:00.000Z",
});

/** Bytes this process has handed to write calls, and sent to a disk, as the kernel counts them. */
const written = (): number[] =>
  ["wchar", "write_bytes"].map((name) =>
    Number(new RegExp(`^${name}: (\\d+)$`, "m").exec(readFileSync("/proc/self/io", "utf8"))![1]),
  );
