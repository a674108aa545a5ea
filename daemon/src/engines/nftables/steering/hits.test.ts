import fc from "fast-check";
import { expect, test } from "vitest";
import { continued, hitsOf, type Numbering, numberingOf } from "./hits.model.ts";
import { hitsIn } from "./hits.parse.ts";

const actionsOf = (causes: readonly string[]) => causes.map((cause, place) => ({ rank: place + 2, plan: 1, cause }));

test("hit counters: a cause keeps its number, and no number is used twice", () =>
  fc.assert(
    fc.property(
      fc.array(fc.uniqueArray(fc.constantFrom("a", "b", "c", "d", "e", "f", "g"), { maxLength: 7 })),
      (loads) => {
        const given = new Map<number, string>();
        let known: Numbering | undefined;
        for (const [generation, causes] of loads.entries()) {
          const next = numberingOf(actionsOf(causes), generation, known);
          expect([...next.numbers.keys()]).toEqual(causes);
          for (const [cause, number] of next.numbers) {
            const stays = known?.numbers.has(cause) === true;
            expect(stays ? known!.numbers.get(cause) : given.get(number)).toBe(stays ? number : undefined);
            given.set(number, cause);
          }
          known = next;
        }
      },
    ),
  ));

test("when numbers run out all begin anew, and those before mean nothing any more", () => {
  const before = { began: 3, numbers: new Map([["a", 7]]), next: 0xffff };
  const last = numberingOf(actionsOf(["a", "b"]), 4, before);
  expect(last).toMatchObject({ began: 3, numbers: new Map(Object.entries({ a: 7, b: 0xffff })) });
  expect(numberingOf(actionsOf(["a", "c"]), 5, last)).toEqual({
    began: 5,
    numbers: new Map(Object.entries({ a: 1, c: 2 })),
    next: 3,
  });
});

const listing = JSON.stringify({
  nftables: [
    { metainfo: { version: "1.0.6" } },
    {
      set: {
        family: "inet",
        name: "hits",
        table: "portcullis",
        type: "classid",
        elem: [
          {
            elem: {
              val: "0:1",
              timeout: 315_360_000,
              expires: 315_359_989,
              counter: { packets: 12, bytes: 900 },
            },
          },
          {
            elem: {
              val: "0:2a",
              timeout: 315_360_000,
              expires: 315_360_000,
              counter: { packets: 1, bytes: 60 },
            },
          },
        ],
      },
    },
  ],
});

test("what nft lists is read: how many, and how long ago", () => {
  expect(hitsIn(listing)).toEqual(
    new Map([
      [1, { connections: 12, idleSec: 10 }],
      [42, { connections: 1, idleSec: 0 }],
    ]),
  );
  expect(hitsIn('{"nftables":[{"set":{"name":"hits"}}]}').size).toBe(0);
});

test("each cause has its own beginning, and none that stays loses it", () => {
  const first = numberingOf(actionsOf(["policy a", "unmatched"]), 1, undefined);
  const begun = continued(undefined, first, 1000);
  const second = numberingOf(actionsOf(["policy b", "policy a"]), 2, first);
  const tally = continued(begun, second, 9000);
  expect(hitsOf(tally, hitsIn(listing), 20_000)).toEqual([
    { cause: "policy b", connections: 0, sinceMs: 9000, lastMs: null },
    { cause: "policy a", connections: 12, sinceMs: 1000, lastMs: 10_000 },
  ]);
});
