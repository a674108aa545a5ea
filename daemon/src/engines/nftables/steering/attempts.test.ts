import { expect, test } from "vitest";
import { attemptsIn } from "./attempts.parse.ts";

test("what nft lists of attempts is read: whose, how many, and how long ago", () => {
  const elem = [
    { elem: { val: "02:00:00:00:00:01", timeout: 86_400, expires: 86_389, counter: { packets: 12, bytes: 900 } } },
    { elem: { val: "02:00:00:00:00:02", timeout: 86_400, expires: 86_400, counter: { packets: 1, bytes: 60 } } },
  ];
  expect(attemptsIn(JSON.stringify({ nftables: [{ metainfo: {} }, { set: { name: "tried_stun", elem } }] }))).toEqual([
    { mac: "02:00:00:00:00:01", packets: 12, idleSec: 10 },
    { mac: "02:00:00:00:00:02", packets: 1, idleSec: 0 },
  ]);
  expect(attemptsIn("{}")).toEqual([]);
});
