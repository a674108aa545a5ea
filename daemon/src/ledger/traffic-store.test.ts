import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../testing/folder.ts";
import { announceSeed } from "../../../testing/seed.ts";
import { databaseFiles } from "../system/database-files.ts";
import { noUsage, resolutionFor, rollUp, sumOf, type UsageAt, widths } from "./traffic-rollup.ts";
import { packSamples, unpackSamples } from "./traffic-samples.ts";
import { openTrafficStore, type TrafficStore } from "./traffic-store.ts";

announceSeed("traffic history");

const storeIn = (folder: string): TrafficStore => {
  const path = join(folder, "traffic.db");
  return openTrafficStore({ path, warn: () => {}, ...databaseFiles(path) });
};

const total = (rows: Iterable<UsageAt>) =>
  rollUp(rows, 1e12).map(({ startSec: _startSec, ...usage }) => usage)[0] ?? noUsage;

const usage = fc.record({
  sentBytes: fc.nat(1e12),
  receivedBytes: fc.nat(1e12),
  sentPackets: fc.nat(1e9),
  receivedPackets: fc.nat(1e9),
  connections: fc.nat(1e6),
});

test("traffic rollup: every width preserves the sum, and each interval contains its parts", () =>
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(2_000_000_000), usage).map(([startSec, it]) => ({ startSec, ...it }))),
      fc.constantFrom(...Object.values(widths)),
      (rows, width) => {
        const rolled = rollUp(rows, width);
        expect(total(rolled)).toEqual(total(rows));
        for (const { startSec, ...sum } of rolled) {
          expect(startSec % width).toBe(0);
          const parts = rows.filter((it) => it.startSec >= startSec && it.startSec < startSec + width);
          expect(sum).toEqual(total(parts));
        }
      },
    ),
    { numRuns: 50 },
  ));

test("traffic history: minutes, hours and days have the same sums, whatever the clock does", () =>
  fc.assert(
    fc.property(
      // Steps of the clock in minutes: usually forward, sometimes back.
      fc.array(fc.tuple(fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: -200, max: 700 })), usage), {
        minLength: 1,
        maxLength: 30,
      }),
      (steps) => {
        using folder = temporaryFolder();
        const store = storeIn(folder.path);
        const subject = { kind: "device", id: "a" } as const;
        let minute = 29_000_000;
        let written = noUsage;
        for (const [step, it] of steps) {
          minute = Math.max(28_999_500, Math.min(29_003_000, minute + step)); // Within the retention of minutes.
          store.write([{ startSec: minute * 60, subjects: [{ ...subject, usage: it, samples: [] }] }], []);
          written = sumOf(written, it);
        }
        for (const width of ["minute", "hour", "day"] as const)
          expect(total(store.history(subject, width, 28_990_000 * 60, 29_010_000 * 60))).toEqual(written);
        store.close();
      },
    ),
    { numRuns: 5 },
  ));

test("traffic history: it survives a restart, and other subjects have none of it", () => {
  using folder = temporaryFolder();
  let store = storeIn(folder.path);
  const samples = [{ slot: 2, sentBytes: 300, receivedBytes: 70_000 }];
  const one = { sentBytes: 300, receivedBytes: 70_000, sentPackets: 3, receivedPackets: 50, connections: 1 };
  store.write([{ startSec: 600, subjects: [{ kind: "device", id: "a", usage: one, samples }] }], []);
  store.close();
  store = storeIn(folder.path);
  expect(store.history({ kind: "device", id: "a" }, "minute", 0, 3600)).toEqual([{ startSec: 600, ...one }]);
  expect(store.history({ kind: "device", id: "a" }, "raw", 0, 3600)).toMatchObject([{ startSec: 620, sentBytes: 300 }]);
  expect(store.history({ kind: "device", id: "b" }, "minute", 0, 3600)).toEqual([]);
  expect(store.history({ kind: "tunnel", id: "a" }, "minute", 0, 3600)).toEqual([]);
  store.close();
});

test("traffic history: destinations are summed over all widths, and the smallest become one sum", () => {
  using folder = temporaryFolder();
  const store = storeIn(folder.path);
  const start = 29_000_000 * 60;
  const usageOf = (n: number) => ({
    device: "a",
    destination: `host-${n}.example`,
    sentBytes: n,
    receivedBytes: 10 * n,
    connections: 1,
  });
  for (let hour = 0; hour < 50; hour++)
    store.write(
      [{ startSec: start + hour * 3600, subjects: [{ kind: "device", id: "a", usage: noUsage, samples: [] }] }],
      Array.from({ length: 60 }, (_, n) => usageOf(n + 1)),
    );
  const found = store.destinations("a", 0, start * 2);
  expect(found[0]).toEqual({
    destination: "host-60.example",
    sentBytes: 60 * 50,
    receivedBytes: 600 * 50,
    connections: 50,
  });
  const sum = found.reduce((all, it) => all + it.sentBytes, 0);
  expect(sum).toBe(50 * ((60 * 61) / 2));
  expect(found.some(({ destination }) => destination === "")).toBe(true);
  expect(store.destinations("b", 0, start * 2)).toEqual([]);
  expect(store.destinations(undefined, 0, start * 2)).toEqual(found);
  store.close();
});

test("traffic history: what was not summed before the daemon stopped for a week is in the sums afterwards, and old minutes are gone", () => {
  using folder = temporaryFolder();
  const store = storeIn(folder.path);
  const subject = { kind: "device", id: "a" } as const;
  const start = 29_000_000 * 60;
  const one = { ...noUsage, sentBytes: 7 };
  const destination = { device: "a", destination: "a.example", sentBytes: 7, receivedBytes: 0, connections: 1 };
  const minute = (startSec: number) => ({ startSec, subjects: [{ ...subject, usage: one, samples: [] }] });
  store.write([minute(start), minute(start + 60)], [destination]);
  store.write([minute(start + 7 * 86_400)], [destination]);
  store.write([minute(start + 7 * 86_400 + 600)], []);
  const sums = (["minute", "hour", "day"] as const).map(
    (it) => total(store.history(subject, it, start - 86_400, start + 8 * 86_400)).sentBytes,
  );
  expect(sums).toEqual([14, 28, 28]);
  expect(store.destinations("a", 0, 2 * start)).toMatchObject([{ destination: "a.example", sentBytes: 14 }]);
  store.close();
});

test("traffic history: what is forgotten of a device is gone, and the others keep theirs", () => {
  using folder = temporaryFolder();
  const store = storeIn(folder.path);
  const one = { ...noUsage, sentBytes: 5 };
  const destination = { destination: "secret.example", sentBytes: 5, receivedBytes: 0, connections: 1 };
  store.write(
    [{ startSec: 600, subjects: ["a", "b"].map((id) => ({ kind: "device", id, usage: one, samples: [] })) }],
    ["a", "b"].map((device) => ({ device, ...destination })),
  );
  store.forget("a", "destinations");
  expect(store.destinations("a", 0, 3600)).toEqual([]);
  expect(store.history({ kind: "device", id: "a" }, "minute", 0, 3600)).toHaveLength(1);
  store.forget("a", "everything");
  expect(store.devices()).toEqual(["b"]);
  expect(store.history({ kind: "device", id: "a" }, "minute", 0, 3600)).toEqual([]);
  expect(store.destinations("b", 0, 3600)).toHaveLength(1);
  store.close();
});

test("traffic history: after a write that failed, each device has its own traffic and none of another", () => {
  using folder = temporaryFolder();
  const store = storeIn(folder.path);
  const write = (id: string, sentBytes: number) =>
    store.write(
      [{ startSec: 600, subjects: [{ kind: "device", id, usage: { ...noUsage, sentBytes }, samples: [] }] }],
      [{ device: id, destination: `${id}.example`, sentBytes, receivedBytes: 0, connections: 1 }],
    );
  const sent = (id: string) =>
    store.history({ kind: "device", id }, "minute", 0, 3600).map(({ sentBytes }) => sentBytes);
  // The table refuses half a byte after the device was added.
  expect([write("a", 0.5), write("b", 2), write("a", 1)]).toEqual([false, true, true]);
  expect([sent("a"), sent("b")]).toEqual([[1], [2]]);
  expect(store.destinations("a", 0, 3600).map(({ destination }) => destination)).toEqual(["a.example"]);
  store.close();
});

/** What a killed daemon leaves: some is only in the WAL. */
function writeEarlierVersion(folder: string): void {
  using origin = temporaryFolder();
  const path = join(origin.path, "traffic.db");
  const sqlite = new DatabaseSync(path);
  sqlite.exec("PRAGMA journal_mode = WAL; PRAGMA user_version = 1; CREATE TABLE destination_short (name TEXT)");
  sqlite.exec("INSERT INTO destination_short VALUES ('secret.example'); PRAGMA wal_checkpoint");
  sqlite.exec("INSERT INTO destination_short VALUES ('secret.example')");
  for (const file of ["traffic.db", "traffic.db-wal"]) copyFileSync(join(origin.path, file), join(folder, file));
  sqlite.close();
}

test("traffic history: a file of another version is deleted with the names in it; one that is no database is set aside", () => {
  using folder = temporaryFolder();
  const filesWith = (text: string) =>
    readdirSync(folder.path).filter((it) => readFileSync(join(folder.path, it)).includes(text));
  writeEarlierVersion(folder.path);
  expect(filesWith("secret.example").toSorted()).toEqual(["traffic.db", "traffic.db-wal"]);
  let store = storeIn(folder.path);
  expect(filesWith("secret.example")).toEqual([]);
  store.write([{ startSec: 600, subjects: [{ kind: "device", id: "a", usage: noUsage, samples: [] }] }], []);
  store.close();
  store = storeIn(folder.path);
  expect([store.devices(), filesWith("secret.example")]).toEqual([["a"], []]);
  store.close();
  writeFileSync(join(folder.path, "traffic.db"), "no database ".repeat(500));
  storeIn(folder.path).close();
  expect(filesWith("no database")).toEqual(["traffic.db.broken"]);
});

test("traffic samples: packed samples are read back", () =>
  fc.assert(
    fc.property(
      fc.array(fc.record({ slot: fc.nat(5), sentBytes: fc.nat(2 ** 45), receivedBytes: fc.nat(2 ** 45) })),
      (samples) => {
        expect(unpackSamples(packSamples(samples))).toEqual(samples);
      },
    ),
    { numRuns: 50 },
  ));

test("traffic history: the default resolution has the whole range and fits a screen", () => {
  const now = 1_790_000_000;
  const chosen = [1, 24, 7 * 24, 30 * 24, 365 * 24].map((hours) => resolutionFor(now - hours * 3600, now, now));
  expect(chosen).toEqual(["raw", "hour", "hour", "day", "day"]);
  expect(resolutionFor(now - 50 * 3600, now - 48 * 3600, now)).toBe("minute");
});
