import { expect, test } from "vitest";
import { openSignatures, type Signatures, signaturesFor } from "./dnssec.ts";
import type { Validator } from "./unbound.model.ts";

const ports = { frontendPort: 1, port: 2 };
/** A signature of the root's SOA, as far as it is read: its header and what it covers, with two dates. */
const signature = "00002e000100000001001200060800000000016dd0f28065d0f2801234";

const unsigned = "0000060001000000010000";

type Reply = "signed" | "unsigned" | "failed" | "silent";

/** A program that answers each query with the next reply, the last one for ever. */
function server(replies: Partial<Record<"frontendPort" | "port", readonly Reply[]>>) {
  const left = new Map(Object.entries(replies).map(([name, list]) => [ports[name as "frontendPort"], [...list]]));
  const queried: number[] = [];
  const query = async (port: number, words: Uint8Array) => {
    queried.push(port);
    const queue = left.get(port) ?? [];
    const reply = queue.length > 1 ? queue.shift()! : (queue[0] ?? "silent");
    if (reply === "silent") throw new Error("no answer");
    const id = words.slice(0, 2).toHex();
    if (reply === "failed") return Uint8Array.fromHex(`${id}818200010000000000000000060001`);
    const records = reply === "signed" ? signature : unsigned;
    return Uint8Array.fromHex(`${id}818000010001000000000000060001${records}`);
  };
  return { query, queried };
}

test.each<[Signatures | undefined, readonly Reply[], readonly Reply[]]>([
  ["valid", ["signed"], ["signed"]],
  ["stripped", ["unsigned"], ["failed"]],
  ["some", ["signed", "unsigned", "signed"], ["signed"]],
  ["unverified", ["signed"], ["failed"]],
  ["stripped", ["silent", "unsigned"], ["failed"]],
  [undefined, ["silent"], ["failed"]],
  [undefined, ["failed"], ["failed"]],
])("DNSSEC probe: %s when the upstream answers %j and the validator %j", async (found, frontendPort, port) =>
  expect(await signaturesFor(ports, server({ frontendPort, port }).query)).toBe(found),
);

const validator = (number: number, isValidating = true): Validator =>
  ({ number, isValidating, ...ports }) as unknown as Validator;

test("DNSSEC watch: nothing is sent while no answer is bogus, and one bogus domain is not a failure", async () => {
  const counts = new Map<number, number>();
  const probed: number[] = [];
  let state: Signatures | undefined = "valid";
  const watch = openSignatures({
    validators: () => [validator(7)],
    bogusAnswers: () => counts,
    probe: async ({ number }) => {
      probed.push(number);
      return state;
    },
  });
  await watch.look();
  expect(probed).toEqual([]);
  counts.set(7, 3);
  await watch.look();
  await watch.look();
  expect([probed, watch.of(7)]).toEqual([[7], "valid"]);
  counts.set(7, 9);
  state = "stripped";
  await watch.look();
  expect(watch.of(7)).toBe("stripped");
  state = undefined; // No upstream answers at all: nothing new is known.
  await watch.look();
  expect(watch.of(7)).toBe("stripped");
  state = "valid";
  await watch.look();
  expect(watch.of(7)).toBe("valid");
});

test("DNSSEC watch: a validator that no longer validates has no failure", async () => {
  let isValidating = true;
  const watch = openSignatures({
    validators: () => [validator(7, isValidating)],
    bogusAnswers: () => new Map([[7, 1]]),
    probe: async () => "stripped",
  });
  await watch.look();
  expect(watch.of(7)).toBe("stripped");
  isValidating = false;
  await watch.look();
  expect(watch.of(7)).toBe("valid");
});
