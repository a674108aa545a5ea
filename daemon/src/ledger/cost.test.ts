import { randomUUIDv7 } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { expectWithin, repeatable } from "../../../testing/deadline.ts";
import { temporaryFolder } from "../../../testing/folder.ts";
import { type Ledger, openLedger } from "./ledger.ts";

const cause = { actor: "ada", action: "update_device", resourceType: "device" };
const inProof = { ...repeatable, tags: "proof" };
const ids = Array.from({ length: 10_000 }, () => randomUUIDv7());

test("ledger cost: one of 10,000 devices changes in milliseconds and in a few pages", inProof, () => {
  using fixture = openFixture();
  const writtenBefore = written();
  const tookMs = Array.from({ length: 50 }, (_, round) => {
    const startedAt = performance.now();
    changeOne(fixture.ledger, round);
    return performance.now() - startedAt;
  });
  const writtenAfter = written();
  const medianMs = tookMs.toSorted((a, b) => a - b)[25]!;
  const calledBytes = (writtenAfter.calledBytes - writtenBefore.calledBytes) / 50;
  const diskBytes = (writtenAfter.diskBytes - writtenBefore.diskBytes) / 50;
  tell(`median ${medianMs.toFixed(1)} ms, ${calledBytes} bytes in write calls, ${diskBytes} bytes to disk per change`);
  expectWithin(0.02, { "median of a change": medianMs / 1000 });
  expect(Math.max(calledBytes, diskBytes)).toBeLessThan(100_000);
  expect(diskBytes).toBeGreaterThan(0);
});

test("ledger cost: reading what is published costs a change next to nothing, however much there is", inProof, () => {
  using fixture = openFixture();
  const { ledger } = fixture;
  ledger.change(cause, (draft) => ids.forEach((id) => draft.put("policy", { id, text: "x" } as { id: string })));
  ledger.releases.apply(cause);
  ledger.releases.document(ledger.revision());
  const tookMs = Array.from({ length: 20 }, (_, round) => {
    changeOne(ledger, round);
    const startedAt = performance.now();
    expect(ledger.releases.document(ledger.revision())["policy"]).toHaveLength(10_000);
    return performance.now() - startedAt;
  });
  const medianMs = tookMs.toSorted((a, b) => a - b)[10]!;
  tell(`the published document of 20,000 resources in ${medianMs.toFixed(2)} ms`);
  expectWithin(0.005, { "median of a read": medianMs / 1000 });
});

test("ledger cost: a thousand changes and a retention later, the file has not doubled", inProof, () => {
  using fixture = openFixture();
  fixture.reopen();
  const before = fixture.bytes();
  const writtenBefore = written();
  for (let round = 0; round < 1000; round++) changeOne(fixture.ledger, round);
  const bytesEach = (written().calledBytes - writtenBefore.calledBytes) / 1000;
  const forgotten = fixture.ledger.releases.retain();
  fixture.reopen();
  const after = fixture.bytes();
  tell(`file ${before} bytes, ${after} after 1,000 changes of ${bytesEach} bytes, checkpoints included`);
  expect(bytesEach).toBeLessThan(100_000);
  expect(forgotten).toBe(802);
  expect(after).toBeLessThan(2 * before);
});

function changeOne(ledger: Ledger, round: number): void {
  const id = ids[(round * 7919) % ids.length]!;
  ledger.change(cause, (draft) => draft.put("device", device(id, `round ${round}`)));
}

/** About as large as a device is. */
const device = (id: string, notes: string): { id: string } =>
  Object.freeze({
    id,
    name: `Device ${id}`,
    mac: null,
    hostname: "garden-shed-television",
    ips: ["192.168.1.20", "fd00::20"],
    vendor: "Acme",
    state: "known",
    notes,
    trust_class: null,
    privacy_class: null,
    profile_id: null,
    group_ids: [],
    first_seen: "2030-01-01T00:00:00.000Z",
  });

/** What this process has written so far, as the kernel counts it. */
function written(): { calledBytes: number; diskBytes: number } {
  const count = (name: string) =>
    Number(new RegExp(`^${name}: (\\d+)$`, "m").exec(readFileSync("/proc/self/io", "utf8"))![1]);
  return { calledBytes: count("wchar"), diskBytes: count("write_bytes") };
}

const tell = (figures: string) => process.stdout.write(`ledger of 10,000 devices: ${figures}\n`);

function openFixture() {
  const folder = temporaryFolder();
  const path = join(folder.path, "ledger.db");
  const open = () =>
    openLedger({
      path,
      kinds: { device: "at-once", policy: "on-apply" },
      now: () => new Date("2030-01-01T00:00:00Z"),
      refuse: (refusal) => new Error(refusal),
      keepRevisions: 200,
    });
  const fixture = {
    ledger: open(),
    /** Closing writes the log back, so that the file is all there is. */
    reopen: () => {
      fixture.ledger.close();
      fixture.ledger = open();
    },
    bytes: () => statSync(path).size,
    [Symbol.dispose]: () => {
      fixture.ledger.close();
      folder[Symbol.dispose]();
    },
  };
  fixture.ledger.change(cause, (draft) => ids.forEach((id) => draft.put("device", device(id, ""))));
  return fixture;
}
