import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../testing/folder.ts";
import { type Ledger, openLedger } from "./ledger.ts";

const cause = { actor: "ada", action: "change", resourceType: "thing" };

function openFixture() {
  const folder = temporaryFolder();
  const clock = { now: new Date("2030-01-01T00:00:00Z") };
  const open = () =>
    openLedger({
      path: join(folder.path, "ledger.db"),
      kinds: { device: "at-once", class: "at-once", policy: "on-apply", profile: "on-apply" },
      now: () => clock.now,
      refuse: (refusal) => new Error(refusal),
      keepRevisions: 100,
    });
  const fixture = {
    clock,
    ledger: open(),
    reopen: () => {
      fixture.ledger.close();
      fixture.ledger = open();
    },
    [Symbol.dispose]: () => {
      fixture.ledger.close();
      folder[Symbol.dispose]();
    },
  };
  return fixture;
}

const put = (ledger: Ledger, kind: string, id: string, text = "") =>
  ledger.change(cause, (draft) => draft.put(kind, { id, text } as { id: string }));

const staged = (ledger: Ledger, kind: string) => ledger.staged<{ id: string; text: string }>(kind).all();
const published = (ledger: Ledger, kind: string) => ledger.releases.document(ledger.revision())[kind];

/** Devices that differ between revisions 2 and 3, and a rollback to 2 that waits for its confirmation. */
function rolledBack(ledger: Ledger) {
  put(ledger, "device", "tv", "old");
  put(ledger, "device", "tv", "new");
  return ledger.releases.rollback({ ...cause, action: "rollback_snapshot" }, 2, 60);
}

/** A published policy that has to be confirmed. */
function appliedForAWhile(ledger: Ledger) {
  put(ledger, "policy", "vpn", "fresh");
  return ledger.releases.apply({ ...cause, action: "apply_policies" }, 60);
}

test("releases: an apply publishes what is staged, and then nothing waits", () => {
  using fixture = openFixture();
  const { ledger } = fixture;
  put(ledger, "policy", "vpn");
  expect(ledger.releases.staged()).toHaveLength(1);
  expect(ledger.releases.apply(cause)).toBe(1);
  expect(ledger.revision()).toBe(2);
  expect(published(ledger, "policy")).toEqual([{ id: "vpn", text: "" }]);
  expect(ledger.releases.staged()).toEqual([]);
  expect(ledger.records.searchAudit({ limit: 1 })).toMatchObject([{ resource_id: "2", details: { published: 1 } }]);
});

test("releases: a provisional publish says what waits, until when and what it goes back to, also after a restart", () => {
  using fixture = openFixture();
  const revision = rolledBack(fixture.ledger);
  const pending = {
    revision,
    base: 3,
    at: "2030-01-01T00:00:00.000Z",
    deadline: "2030-01-01T00:01:00.000Z",
    actor: "ada",
    kinds: ["class", "device", "policy", "profile"],
    restage: true,
    edits: [],
  };
  expect(fixture.ledger.releases.pending()).toEqual(pending);
  fixture.reopen();
  expect(fixture.ledger.releases.pending()).toEqual(pending);
});

test("releases: while a rollback waits for its confirmation every kind refuses changes", () => {
  using fixture = openFixture();
  const { ledger } = fixture;
  rolledBack(ledger);
  const before = JSON.stringify(ledger.database.all("SELECT * FROM staged"));
  expect(() => put(ledger, "device", "tv", "newer")).toThrow("change-pending");
  expect(() => put(ledger, "device", "phone")).toThrow("change-pending");
  expect(() => ledger.change(cause, (draft) => draft.remove("device", "tv"))).toThrow("change-pending");
  expect(() =>
    ledger.change(cause, (draft) => {
      draft.put("class", { id: "guest" });
      draft.put("device", { id: "phone" });
    }),
  ).toThrow("change-pending");
  expect(JSON.stringify(ledger.database.all("SELECT * FROM staged"))).toBe(before);
  // A class that refers to what the rollback brought back would dangle once it is reverted.
  expect(() => put(ledger, "class", "guest")).toThrow("change-pending");
  ledger.releases.confirm(cause);
  put(ledger, "class", "guest");
  put(ledger, "device", "tv", "newer");
  expect(staged(ledger, "device")).toEqual([{ id: "tv", text: "newer" }]);
});

test("releases: while an apply waits for its confirmation only the kinds it published refuse changes", () => {
  using fixture = openFixture();
  const { ledger } = fixture;
  appliedForAWhile(ledger);
  expect(() => put(ledger, "policy", "vpn", "newer")).toThrow("change-pending");
  put(ledger, "class", "guest");
  put(ledger, "device", "tv");
  expect([staged(ledger, "class").length, staged(ledger, "device").length]).toEqual([1, 1]);
});

test("releases: what a provisional publish holds cannot be staged either: going back would lose it", () => {
  using fixture = openFixture();
  const { ledger } = fixture;
  appliedForAWhile(ledger);
  expect(() => put(ledger, "policy", "vpn", "edited")).toThrow("change-pending");
  put(ledger, "profile", "home");
  expect(staged(ledger, "profile")).toHaveLength(1);
});

test("releases: while one change is pending there cannot be a second", () => {
  using fixture = openFixture();
  const { ledger } = fixture;
  put(ledger, "policy", "vpn");
  rolledBack(ledger);
  expect(() => ledger.releases.rollback(cause, 2, 60)).toThrow("change-pending");
  expect(() => ledger.releases.rollback(cause, 2)).toThrow("change-pending");
  expect(() => ledger.releases.apply(cause)).toThrow("change-pending");
  ledger.releases.confirm(cause);
  put(ledger, "policy", "vpn");
  ledger.releases.apply(cause, 60);
  expect(ledger.releases.pending()?.kinds).toEqual(["policy"]);
});

test("releases: a confirmed change stays and writes no revision of its own", () => {
  using fixture = openFixture();
  const { ledger } = fixture;
  const revision = rolledBack(ledger);
  ledger.releases.confirm({ ...cause, action: "confirm_change" });
  expect(ledger.releases.pending()).toBeUndefined();
  expect(ledger.revision()).toBe(revision);
  expect(published(ledger, "device")).toEqual([{ id: "tv", text: "old" }]);
  expect(ledger.records.searchAudit({ limit: 1 })).toMatchObject([
    { action: "confirm_change", resource_id: String(revision) },
  ]);
});

test("releases: reverting a rollback brings back what was published and staged before it", () => {
  using fixture = openFixture();
  const { ledger } = fixture;
  const revision = rolledBack(ledger);
  expect(staged(ledger, "device")).toEqual([{ id: "tv", text: "old" }]);
  ledger.releases.revert({ ...cause, action: "revert_change" }, "requested");
  expect(ledger.revision()).toBe(revision + 1);
  expect(staged(ledger, "device")).toEqual([{ id: "tv", text: "new" }]);
  expect(published(ledger, "device")).toEqual([{ id: "tv", text: "new" }]);
  expect(ledger.releases.find(revision + 1)!.digest).toBe(ledger.releases.find(3)!.digest);
  expect(ledger.records.searchAudit({ limit: 1 })).toMatchObject([
    { action: "revert_change", resource_id: String(revision), details: { reason: "requested", reverted_to: "3" } },
  ]);
});

test("releases: reverting an apply takes it out of force and keeps what was staged", () => {
  using fixture = openFixture();
  const { ledger } = fixture;
  put(ledger, "policy", "vpn", "first");
  ledger.releases.apply(cause);
  appliedForAWhile(ledger);
  expect(published(ledger, "policy")).toEqual([{ id: "vpn", text: "fresh" }]);
  ledger.releases.revert(cause, "requested");
  expect(published(ledger, "policy")).toEqual([{ id: "vpn", text: "first" }]);
  expect(staged(ledger, "policy")).toEqual([{ id: "vpn", text: "fresh" }]);
  expect(ledger.releases.staged()).toMatchObject([
    { id: "vpn", change: "changed", fields: [{ field: "text", before: "first", after: "fresh" }] },
  ]);
});

test("releases: going back leaves alone what other kinds published in the meantime", () => {
  using fixture = openFixture();
  const { ledger } = fixture;
  appliedForAWhile(ledger);
  put(ledger, "class", "guest");
  put(ledger, "profile", "home");
  ledger.releases.revert(cause, "requested");
  expect(published(ledger, "class")).toEqual([{ id: "guest", text: "" }]);
  expect(staged(ledger, "profile")).toEqual([{ id: "home", text: "" }]);
  expect(published(ledger, "policy")).toEqual([]);
});

test("releases: the revert of a rollback restores unpublished edits, which are locked until then", () => {
  using fixture = openFixture();
  const { ledger } = fixture;
  put(ledger, "policy", "vpn", "published");
  put(ledger, "policy", "old", "published");
  ledger.releases.apply(cause);
  put(ledger, "device", "tv", "old");
  put(ledger, "device", "tv", "new");
  put(ledger, "policy", "vpn", "edited");
  put(ledger, "policy", "fresh", "edited");
  ledger.change(cause, (draft) => draft.remove("policy", "old"));
  const before = JSON.stringify(ledger.database.all("SELECT * FROM staged"));

  ledger.releases.rollback(cause, 3, 60);
  expect(ledger.releases.staged()).toEqual([]);
  expect(() => put(ledger, "policy", "fresh", "mine")).toThrow("change-pending");

  fixture.reopen();
  fixture.ledger.releases.revert(cause, "requested");
  expect(JSON.stringify(fixture.ledger.database.all("SELECT * FROM staged"))).toBe(before);
  expect(fixture.ledger.releases.staged().map(({ id, change }) => `${change} ${id}`)).toEqual([
    "added fresh",
    "removed old",
    "changed vpn",
  ]);
});

test("releases: nothing can be confirmed or reverted when nothing waits", () => {
  using fixture = openFixture();
  const { ledger } = fixture;
  expect(() => ledger.releases.confirm(cause)).toThrow("nothing-pending");
  expect(() => ledger.releases.revert(cause, "requested")).toThrow("nothing-pending");
  rolledBack(ledger);
  ledger.releases.revert(cause, "requested");
  expect(() => ledger.releases.revert(cause, "again")).toThrow("nothing-pending");
});

test("releases: an unknown revision is refused by every function", () => {
  using fixture = openFixture();
  const { releases } = fixture.ledger;
  expect(releases.find(99)).toBeUndefined();
  for (const ask of [
    () => releases.document(99),
    () => releases.export(99),
    () => releases.differences(1, 99),
    () => releases.differences(99, 1),
    () => releases.rollback(cause, 99),
    () => releases.describe(cause, 99, { pinned: true }),
  ])
    expect(ask).toThrow("unknown-revision");
  expect(releases.document(1)).toEqual({ class: [], device: [], policy: [], profile: [] });
});

test("releases: a rollback discards edits that were never published, and audits which ones", () => {
  using fixture = openFixture();
  const { ledger } = fixture;
  put(ledger, "policy", "vpn");
  ledger.releases.rollback(cause, 1);
  expect(staged(ledger, "policy")).toEqual([]);
  expect(ledger.revision()).toBe(1);
  expect(ledger.records.searchAudit({ limit: 1 })).toMatchObject([
    { resource_id: "1", details: { also: [{ kind: "policy", id: "vpn", change: "removed" }] } },
  ]);
});

test("releases: differences between two revisions name each field, and read the same backwards", () => {
  using fixture = openFixture();
  const { ledger } = fixture;
  put(ledger, "device", "tv", "old");
  put(ledger, "device", "tv", "new");
  put(ledger, "class", "guest");
  const forwards = ledger.releases.differences(2, 4);
  expect(forwards).toEqual([
    {
      kind: "class",
      id: "guest",
      name: "guest",
      change: "added",
      fields: [{ field: "text", before: null, after: "" }],
    },
    {
      kind: "device",
      id: "tv",
      name: "tv",
      change: "changed",
      fields: [{ field: "text", before: "old", after: "new" }],
    },
  ]);
  expect(ledger.releases.differences(4, 2).map(({ change }) => change)).toEqual(["removed", "changed"]);
  expect(ledger.releases.differences(4, 4)).toEqual([]);
});

test("releases: revisions are listed newest first, in pages", () => {
  using fixture = openFixture();
  const { ledger } = fixture;
  for (const text of ["a", "b", "c"]) put(ledger, "device", "tv", text);
  const numbers = (search: { before?: number; limit: number }) => ledger.releases.list(search).map((it) => it.number);
  expect(numbers({ limit: 3 })).toEqual([4, 3, 2]);
  expect(numbers({ before: 2, limit: 3 })).toEqual([1]);
  expect(ledger.releases.count()).toBe(4);
});

test("releases: a document that was handed out does not change with the next commit", () => {
  using fixture = openFixture();
  const { ledger } = fixture;
  put(ledger, "device", "tv", "old");
  const then = ledger.releases.document(ledger.revision());
  put(ledger, "device", "tv", "new");
  put(ledger, "device", "phone");
  expect(then["device"]).toEqual([{ id: "tv", text: "old" }]);
  expect(published(ledger, "device")).toHaveLength(2);
});
