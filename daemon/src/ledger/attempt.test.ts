import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { ledgerInMemory } from "../../../testing/ledger.ts";
import type { Ledger } from "./ledger.ts";

interface Named {
  readonly id: string;
  readonly name: string;
}
const cause = { actor: "ada", action: "apply", resourceType: "configuration" };
const commit = { about: "home", details: {}, along: () => {} };

const opened = () => ledgerInMemory({ device: "at-once", routing_policy: "on-apply" });
const put = (ledger: Ledger, id: string, name: string, kind = "device") =>
  ledger.change(cause, (draft) => draft.put(kind, { id, name } as Named));
const names = (ledger: Ledger) =>
  ledger
    .staged<Named>("device")
    .all()
    .map(({ name }) => name);

test("attempt: its changes are seen by its own code, also after a wait, and by no other code", async () => {
  const ledger = opened();
  put(ledger, "b", "TV");
  const before = ledger.revision();
  const seenInside: string[][] = [];
  const trying = ledger.attempt({ publishes: false }, async () => {
    put(ledger, "a", "Laptop");
    await nextTurn();
    put(ledger, "b", "Kitchen TV");
    seenInside.push(names(ledger));
    await nextTurn();
  });
  await nextTurn();
  expect(names(ledger)).toEqual(["TV"]);
  const { attempt } = await trying;
  expect(seenInside).toEqual([["Laptop", "Kitchen TV"]]);
  expect([names(ledger), ledger.revision()]).toEqual([["TV"], before]);
  expect(attempt.differences().map(({ id, change }) => [id, change])).toEqual([
    ["a", "added"],
    ["b", "changed"],
  ]);
});

test("attempt: what is compiled for the kernel reads the ledger as it is, also if code of the attempt starts it", async () => {
  const ledger = opened();
  put(ledger, "b", "TV");
  const read = async () => {
    await nextTurn();
    return [names(ledger), ledger.releases.document(ledger.revision())["device"]];
  };
  const { result } = await ledger.attempt({ publishes: true }, async () => {
    put(ledger, "a", "Laptop");
    return [await read(), await ledger.outsideAttempts(read)];
  });
  const published = [{ id: "b", name: "TV" }];
  expect(result).toEqual([
    [
      ["Laptop", "TV"],
      [{ id: "a", name: "Laptop" }, ...published],
    ],
    [["TV"], published],
  ]);
});

test("attempt: the commit is one revision and one audit entry, and is refused after another commit", async () => {
  const ledger = opened();
  const tried = () =>
    ledger.attempt({ publishes: true }, async () => {
      put(ledger, "a", "Laptop");
      put(ledger, "b", "TV");
      put(ledger, "p", "all", "routing_policy");
    });
  const [first, late] = [await tried(), await tried()];
  const before = ledger.revision();
  first.commit(cause, commit);
  expect(names(ledger)).toEqual(["Laptop", "TV"]);
  expect(ledger.revision()).toBe(before + 1);
  expect(ledger.releases.staged()).toEqual([]);
  expect(ledger.records.searchAudit({ limit: 9 })).toMatchObject([
    { resource_id: "home", details: { also_changed: 3 } },
  ]);
  expect(() => late.commit(cause, commit)).toThrow("changed-meanwhile");
  expect(ledger.revision()).toBe(before + 1);
});

test("attempt: a change that throws is undone alone, and what an attempt has undone is no difference", async () => {
  const ledger = opened();
  put(ledger, "a", "Laptop");
  const { attempt } = await ledger.attempt({ publishes: false }, async (it) => {
    const undo = it.mark();
    ledger.change(cause, (draft) => draft.remove("device", "a"));
    expect(names(ledger)).toEqual([]);
    undo();
    expect(() =>
      ledger.change(cause, (draft) => {
        draft.put("device", { id: "x", name: "X" } as Named);
        throw new Error("refused");
      }),
    ).toThrow("refused");
    put(ledger, "b", "TV");
  });
  expect(attempt.differences().map(({ id }) => id)).toEqual(["b"]);
});

test("attempt: no table is written in an attempt; outside of one it is", async () => {
  const ledger = opened();
  const write = () => ledger.database.run("DELETE FROM document_resource");
  await ledger.attempt({ publishes: false }, async () => expect(write).toThrow("An attempt writes to no table"));
  expect(write()).toBe(0);
});

test("attempt: a commit on trial reverts everything, and what was staged before is staged again", async () => {
  const ledger = opened();
  put(ledger, "a", "Laptop");
  put(ledger, "p", "draft", "routing_policy");
  const { commit: apply } = await ledger.attempt({ publishes: true }, async () => {
    put(ledger, "a", "Old laptop");
    put(ledger, "q", "new", "routing_policy");
  });
  apply(cause, { ...commit, confirmWithinSec: 60 });
  expect([names(ledger), ledger.releases.staged()]).toEqual([["Old laptop"], []]);
  expect(() => put(ledger, "c", "TV")).toThrow("change-pending");
  ledger.releases.revert(cause, "requested");
  expect(names(ledger)).toEqual(["Laptop"]);
  expect(ledger.releases.staged().map(({ id }) => id)).toEqual(["p"]);
  expect(ledger.staged("routing_policy").get("q")).toBeUndefined();
});
