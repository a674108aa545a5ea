import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../testing/folder.ts";
import { type Ledger, openLedger } from "./ledger.ts";

const cause = { actor: "ada", action: "change", resourceType: "thing" };

/** A ledger that keeps three revisions, with two devices, a policy and a class of which only one device ever changes. */
function openFixture() {
  const folder = temporaryFolder();
  const ledger = openLedger({
    path: join(folder.path, "ledger.db"),
    kinds: { device: "at-once", class: "at-once", policy: "on-apply" },
    now: () => new Date("2030-01-01T00:00:00Z"),
    refuse: (refusal) => new Error(refusal),
    keepRevisions: 3,
  });
  ledger.change(cause, (draft) => {
    draft.put("device", { id: "tv", text: "0" } as { id: string });
    draft.put("device", { id: "still" });
    draft.put("class", { id: "guest" });
    draft.put("policy", { id: "vpn" });
  });
  ledger.releases.apply(cause);
  const dispose = () => {
    ledger.close();
    folder[Symbol.dispose]();
  };
  return { ledger, [Symbol.dispose]: dispose };
}

/** Each change is one more revision. */
function changeTimes(ledger: Ledger, times: number): void {
  for (let time = 0; time < times; time++)
    ledger.change(cause, (draft) => draft.put("device", { id: "tv", text: `${ledger.revision()}` } as { id: string }));
}

const numbers = (ledger: Ledger) => ledger.releases.list({ limit: 1000 }).map((it) => it.number);
const exports = (ledger: Ledger, revisions: number[]) =>
  revisions.map((it) => ({
    digest: ledger.releases.find(it)!.digest,
    kinds: ledger.releases.kindDigests(it),
    document: ledger.releases.export(it),
  }));
const count = (ledger: Ledger, table: string): number =>
  Number(ledger.database.get(`SELECT count(*) AS rows FROM ${table}`)!["rows"]);

test("retention keeps the newest, and their documents read as before", () => {
  using fixture = openFixture();
  const { ledger } = fixture;
  changeTimes(ledger, 7);
  expect(ledger.revision()).toBe(10);
  const before = exports(ledger, [10, 9, 8]);
  expect(ledger.releases.retain()).toBe(7);
  expect(numbers(ledger)).toEqual([10, 9, 8]);
  expect(exports(ledger, [10, 9, 8])).toEqual(before);
  expect(() => ledger.releases.document(7)).toThrow("unknown-revision");
});

test("retention: versions and digests that no revision shows are gone, and only those", () => {
  using fixture = openFixture();
  const { ledger } = fixture;
  changeTimes(ledger, 7);
  expect({ versions: count(ledger, "version"), digests: count(ledger, "kind_digest") }).toEqual({
    versions: 4 + 7,
    digests: 3 + 7,
  });
  ledger.releases.retain();
  expect(ledger.database.all("SELECT id, since, until FROM version ORDER BY id, since")).toEqual([
    { id: "guest", since: 2, until: null },
    { id: "still", since: 2, until: null },
    { id: "tv", since: 8, until: 9 },
    { id: "tv", since: 9, until: 10 },
    { id: "tv", since: 10, until: null },
    { id: "vpn", since: 3, until: null },
  ]);
  expect(ledger.database.all("SELECT kind, revision FROM kind_digest ORDER BY kind, revision")).toEqual([
    { kind: "class", revision: 2 },
    { kind: "device", revision: 8 },
    { kind: "device", revision: 9 },
    { kind: "device", revision: 10 },
    { kind: "policy", revision: 3 },
  ]);
});

test("retention: a second retention has nothing to do", () => {
  using fixture = openFixture();
  const { ledger } = fixture;
  changeTimes(ledger, 7);
  expect(ledger.releases.retain()).toBe(7);
  expect(ledger.releases.retain()).toBe(0);
});

test("retention: a pinned revision survives whole, and goes once it is unpinned", () => {
  using fixture = openFixture();
  const { ledger } = fixture;
  changeTimes(ledger, 3);
  ledger.releases.describe(cause, 4, { pinned: true, note: "before the move" });
  changeTimes(ledger, 7);
  const before = exports(ledger, [4]);
  ledger.releases.retain();
  expect(numbers(ledger)).toEqual([13, 12, 11, 4]);
  expect(exports(ledger, [4])).toEqual(before);
  expect(ledger.releases.rollback(cause, 4)).toBe(14);
  expect(ledger.releases.find(14)!.digest).toBe(before[0]!.digest);

  ledger.releases.describe(cause, 4, { pinned: false });
  ledger.releases.retain();
  expect(numbers(ledger)).toEqual([14, 13, 12]);
});

test("retention: what a pending change goes back to survives until it is confirmed or reverted", () => {
  using fixture = openFixture();
  const { ledger } = fixture;
  changeTimes(ledger, 2);
  const base = ledger.revision();
  const before = exports(ledger, [base]);
  ledger.change(cause, (draft) => draft.put("policy", { id: "other" }));
  ledger.releases.apply(cause, 60);
  for (let time = 0; time < 7; time++) ledger.change(cause, (draft) => draft.put("class", { id: `class ${time}` }));
  ledger.releases.retain();
  expect(numbers(ledger)).toEqual([13, 12, 11, base + 1, base]);
  expect(exports(ledger, [base])).toEqual(before);

  ledger.releases.revert(cause, "requested");
  expect(ledger.releases.document(ledger.revision())["policy"]).toEqual([{ id: "vpn" }]);
  ledger.releases.retain();
  expect(numbers(ledger)).toEqual([14, 13, 12]);
});

test("retention: a removed resource is forgotten with the last revision that shows it", () => {
  using fixture = openFixture();
  const { ledger } = fixture;
  ledger.change(cause, (draft) => draft.remove("device", "still"));
  expect(ledger.releases.document(3)["device"]).toHaveLength(2);
  changeTimes(ledger, 3);
  expect(ledger.releases.versions("device").some(({ id }) => id === "still")).toBe(true);
  ledger.releases.retain();
  expect(ledger.releases.versions("device").some(({ id }) => id === "still")).toBe(false);
});
