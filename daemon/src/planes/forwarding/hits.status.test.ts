import { expect, test } from "vitest";
import type { Hits } from "../../engines/nftables/steering/hits.model.ts";
import { policyHits } from "./hits.status.ts";

/** A kernel and a clock, both moved by hand. */
function open() {
  let [looks, nowMs] = [0, 0];
  let answer: () => readonly Hits[] = () => [];
  const read = policyHits({
    hits: async () => {
      looks += 1;
      return answer();
    },
    monotonicMs: () => nowMs,
  });
  return {
    read,
    looks: () => looks,
    pass: (ms: number) => void (nowMs += ms),
    says: (next: typeof answer) => void (answer = next),
  };
}

const hits = (connections: number, lastMs: number | null): Hits[] => [
  { cause: "policy a", connections, sinceMs: 5, lastMs },
];

test("hits: all requests of one second share one read of the kernel", async () => {
  const { read, looks, pass, says } = open();
  says(() => hits(1, 10));
  await Promise.all([read(), read()]);
  pass(999);
  says(() => hits(2, 20));
  expect((await read()).get("a")?.connections).toBe(1);
  expect(looks()).toBe(1);
  pass(1);
  expect((await read()).get("a")?.connections).toBe(2);
});

test("hits: a count that does not grow keeps its time", async () => {
  const { read, pass, says } = open();
  says(() => hits(1, 10));
  await read();
  pass(1000);
  says(() => hits(1, 700));
  expect((await read()).get("a")?.lastMs).toBe(10);
  pass(1000);
  says(() => hits(2, 1500));
  expect((await read()).get("a")?.lastMs).toBe(1500);
});

test("hits: after a failed read the next request reads again", async () => {
  const { read, says } = open();
  says(() => {
    throw new Error("nft: cannot");
  });
  await expect(read()).rejects.toThrow("cannot");
  says(() => hits(3, 10));
  expect((await read()).get("a")?.connections).toBe(3);
});
