import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../testing/folder.ts";
import type { Commit } from "./change.ts";
import { type Ledger, openLedger } from "./ledger.ts";

const cause = { actor: "ada", action: "update_device", resourceType: "device" };

/** A ledger of devices and classes, which publish at once, and policies, which wait for an apply. */
function openFixture() {
  const folder = temporaryFolder();
  const ledger = openLedger({
    path: join(folder.path, "ledger.db"),
    kinds: { device: "at-once", class: "at-once", policy: "on-apply" },
    now: () => new Date("2030-01-01T00:00:00Z"),
    refuse: (refusal) => new Error(refusal),
    keepRevisions: 100,
  });
  const received: Commit[] = [];
  ledger.watch((commit) => received.push(commit));
  const close = () => {
    ledger.close();
    folder[Symbol.dispose]();
  };
  return { ledger, received, [Symbol.dispose]: close };
}

const device = (id: string, name: string) => ({ id, name, tags: [name, "wired"] });

const put = (ledger: Ledger, kind: string, ...resources: { id: string }[]) =>
  ledger.change(cause, (draft) => resources.forEach((it) => draft.put(kind, it)));

/** Every row of every table: what a failed or idle change must leave alone, to the byte. */
const everyRow = ({ database }: Ledger): string =>
  JSON.stringify(
    database
      .all("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
      .map(({ name }) => [name, database.all(`SELECT * FROM ${String(name)}`)]),
  );

/** The complete state that a change may affect: on disk, in memory, and sent notifications. */
const stateOf = ({ ledger, received }: { ledger: Ledger; received: readonly Commit[] }) => ({
  rows: everyRow(ledger),
  collections: ["device", "class", "policy"].map((kind) => [...ledger.staged(kind).all()]),
  received: received.length,
});

test("ledger: a fresh ledger has one revision, which is empty", () => {
  using fixture = openFixture();
  expect(fixture.ledger.revision()).toBe(1);
  expect(fixture.ledger.releases.document(1)).toEqual({ class: [], device: [], policy: [] });
});

test("ledger: a change writes one revision and one audit entry, and notifies the watchers", () => {
  using fixture = openFixture();
  const { ledger, received } = fixture;
  put(ledger, "device", device("a", "TV"), device("b", "Lamp"));
  const [entry, ...others] = ledger.records.searchAudit({ limit: 10 });
  expect(others).toEqual([]);
  expect(entry).toMatchObject({
    actor: "ada",
    action: "update_device",
    resource_type: "device",
    resource_id: "a",
    timestamp: "2030-01-01T00:00:00.000Z",
    details: { name: "TV", change: "added", also_changed: 1, also: [{ kind: "device", id: "b", change: "added" }] },
  });
  expect(ledger.releases.find(2)).toMatchObject({ number: 2, actor: "ada", cause: "update_device", changed: 2 });
  expect(received).toEqual([{ cause, resourceId: "a", auditId: entry!.id, revision: 2 }]);
});

test("ledger: a change of a kind that waits is staged and audited, and publishes nothing", () => {
  using fixture = openFixture();
  const { ledger } = fixture;
  put(ledger, "policy", { id: "p" });
  expect(ledger.revision()).toBe(1);
  expect(ledger.records.searchAudit({ limit: 10 })).toHaveLength(1);
  expect(ledger.releases.staged()).toMatchObject([{ kind: "policy", id: "p", change: "added" }]);
  expect(ledger.releases.document(1)["policy"]).toEqual([]);
});

test("ledger: three publishes later, a rollback brings back the very bytes of the first", () => {
  using fixture = openFixture();
  const { ledger } = fixture;
  put(ledger, "policy", { id: "p1" }, { id: "p2" });
  ledger.releases.apply(cause);
  put(ledger, "device", device("a", "TV"), device("b", "Lamp"));
  const first = ledger.revision();
  const staged = () => JSON.stringify(ledger.database.all("SELECT * FROM staged"));
  const then = {
    staged: staged(),
    digest: ledger.releases.find(first)!.digest,
    kinds: ledger.releases.kindDigests(first),
    exported: ledger.releases.export(first),
  };

  put(ledger, "device", device("a", "Television"), device("c", "Phone"));
  ledger.change(cause, (draft) => draft.remove("device", "b"));
  ledger.change(cause, (draft) => {
    draft.remove("policy", "p1");
    draft.put("policy", { id: "p3" });
  });
  ledger.releases.apply(cause);
  put(ledger, "policy", { id: "p4" });
  expect(ledger.revision()).toBe(first + 3);
  expect(staged()).not.toBe(then.staged);
  expect(ledger.releases.find(first + 3)!.digest).not.toBe(then.digest);

  const restored = ledger.releases.rollback({ ...cause, action: "rollback_snapshot" }, first);
  expect(restored).toBe(first + 4);
  expect({
    staged: staged(),
    digest: ledger.releases.find(restored)!.digest,
    kinds: ledger.releases.kindDigests(restored),
    exported: ledger.releases.export(restored),
  }).toEqual(then);
  expect(ledger.releases.export(first)).toBe(then.exported);
});

test.each<[string, string, () => unknown]>([
  [
    "throws after it wrote",
    "enough",
    () => {
      throw new Error("enough");
    },
  ],
  ["would have to be waited for", "must be synchronous", () => Promise.resolve()],
])(
  "ledger: a change that %s leaves tables, collections, revision, audit and watchers unchanged",
  (_, complaint, end) => {
    using fixture = openFixture();
    const { ledger, received } = fixture;
    put(ledger, "device", device("a", "TV"), device("b", "Lamp"));
    put(ledger, "policy", { id: "p" });
    const before = stateOf(fixture);
    const attempt = () =>
      ledger.change(cause, (draft) => {
        draft.put("device", device("a", "changed"));
        draft.put("device", device("a", "changed twice"));
        draft.put("device", device("c", "new"));
        draft.remove("device", "b");
        draft.put("policy", { id: "q" });
        draft.about("a");
        ledger.database.run("INSERT INTO setting (key, value) VALUES ('k', 'v')");
        expect(stateOf(fixture)).not.toEqual(before);
        return end();
      });
    expect(attempt).toThrow(complaint);
    expect(stateOf(fixture)).toEqual(before);
    put(ledger, "device", device("c", "new"));
    expect(received).toHaveLength(before.received + 1);
  },
);

test("ledger: a failed commit leaves the collections unchanged", () => {
  using fixture = openFixture();
  const { ledger } = fixture;
  put(ledger, "device", device("a", "TV"));
  // A deferred constraint fails in COMMIT itself, as a full disk would.
  ledger.database.run(
    "CREATE TABLE owed (number INTEGER REFERENCES revision (number) DEFERRABLE INITIALLY DEFERRED) STRICT",
  );
  const before = stateOf(fixture);
  const change = (debt: boolean) =>
    ledger.change(cause, (draft) => {
      draft.put("device", device("a", "changed"));
      draft.put("device", device("b", "new"));
      if (debt) ledger.database.run("INSERT INTO owed (number) VALUES (999)");
    });
  expect(() => change(true)).toThrow("FOREIGN KEY");
  expect(stateOf(fixture)).toEqual(before);
  change(false);
  expect(ledger.staged("device").all()).toEqual([device("a", "changed"), device("b", "new")]);
});

test.each<[string, (ledger: Ledger) => unknown]>([
  ["puts what is there already", (ledger) => put(ledger, "device", device("a", "TV"))],
  [
    "puts it with its fields in another order",
    (ledger) => put(ledger, "device", Object.assign({ tags: ["TV", "wired"], name: "TV" }, { id: "a" })),
  ],
  ["removes what is not there", (ledger) => ledger.change(cause, (draft) => draft.remove("device", "unknown"))],
  ["stages what is staged already", (ledger) => put(ledger, "policy", { id: "p" })],
  ["does nothing", (ledger) => ledger.change(cause, () => {})],
  [
    "makes something and takes it away",
    (ledger) =>
      ledger.change(cause, (draft) => {
        draft.put("device", device("x", "brief"));
        draft.remove("device", "x");
      }),
  ],
  [
    "changes something and changes it back",
    (ledger) =>
      ledger.change(cause, (draft) => {
        draft.put("device", device("a", "other"));
        draft.remove("device", "a");
        draft.put("device", device("a", "TV"));
      }),
  ],
  ["applies when nothing waits", ({ releases }) => releases.apply(cause)],
  ["applies for a while when nothing waits", ({ releases }) => releases.apply(cause, 60)],
  ["changes nothing of a snapshot", ({ releases }) => releases.describe(cause, 2, {})],
  [
    "sets the current values of a snapshot",
    ({ releases }) => releases.describe(cause, 2, { pinned: true, note: "good" }),
  ],
])("ledger: a change that %s writes nothing", (_, idle) => {
  using fixture = openFixture();
  const { ledger } = fixture;
  put(ledger, "device", device("a", "TV"));
  put(ledger, "policy", { id: "p" });
  ledger.releases.apply(cause);
  ledger.releases.describe(cause, 2, { pinned: true, note: "good" });
  const before = stateOf(fixture);
  idle(ledger);
  expect(stateOf(fixture)).toEqual(before);
});

test("ledger: what a change answers comes back, and a subject of its own is audited even when no resource changed", () => {
  using fixture = openFixture();
  const { ledger } = fixture;
  const answer = ledger.change({ ...cause, action: "change_password" }, (draft) => {
    draft.about("ada", { by: "herself" });
    return 42;
  });
  expect(answer).toBe(42);
  expect(ledger.revision()).toBe(1);
  expect(ledger.records.searchAudit({ limit: 1 })).toMatchObject([
    { action: "change_password", resource_id: "ada", details: { by: "herself" } },
  ]);
});

test("ledger: what was put cannot be changed behind the ledger's back", () => {
  using fixture = openFixture();
  const mine = device("a", "TV");
  put(fixture.ledger, "device", mine);
  expect(() => mine.tags.push("stolen")).toThrow(TypeError);
  expect(fixture.ledger.staged("device").get("a")).toEqual(device("a", "TV"));
});

test("ledger: an unknown kind throws", () => {
  using fixture = openFixture();
  expect(() => fixture.ledger.staged("ghost")).toThrow("Unknown kind ghost");
  expect(() => put(fixture.ledger, "ghost", { id: "a" })).toThrow("Unknown kind ghost");
});
