import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import type { Guard } from "../../engines/nftables/nftables.model.ts";
import { guardFile, savedGuard } from "./saved-guard.ts";

const guard: Guard = {
  lan: ["lan0"],
  uplinks: ["wan0"],
  uplinkPorts: [],
  pairs: [{ egress: 1, interface: "wan0" }],
  lanPairs: [],
  lanAddresses: [],
  innerHopServers: [],
  servers: [],
  inner: [],
};
const other: Guard = { ...guard, uplinkPorts: [22] };
const more: Guard = { ...guard, pairs: [...guard.pairs, { egress: 2, interface: "wg0" }] };

function fixture(text?: string) {
  const state = { text, writes: 0, isPending: false, isFull: false, warnings: [] as string[] };
  const saved = savedGuard({
    system: {
      readText: () => state.text,
      writeAtomically: (_, written) => {
        if (state.isFull) throw new Error("no space left");
        state.text = written;
        state.writes += 1;
      },
    },
    file: "/state/guard.nft",
    isPending: () => state.isPending,
    warn: (sentence) => void state.warnings.push(sentence),
  });
  return { state, saved };
}

test("saved guard: ends with the checksum of its text, and permits no mark", () => {
  const [, text = "", sum] = /^([\s\S]*)# sha256 (\w+)\n$/.exec(guardFile(guard))!;
  expect(createHash("sha256").update(text).digest("hex")).toBe(sum);
  expect(text).toContain("counter name leak_forward drop");
  expect(text).not.toContain("elements");
  expect(guardFile(more)).toBe(guardFile(guard));
});

test("saved guard: an applied guard is saved once, also by the next daemon", () => {
  const { state, saved } = fixture();
  saved.applied(guard);
  saved.applied(guard);
  expect(state).toMatchObject({ text: guardFile(guard), writes: 1 });
  const next = fixture(state.text);
  next.saved.applied(guard);
  expect(next.state.writes).toBe(0);
});

test("saved guard: while a change waits for confirmation the previous one is kept, and the new one is saved with the confirmation (T-applying-4)", () => {
  const { state, saved } = fixture(guardFile(guard));
  state.isPending = true;
  saved.recorded(true);
  saved.applied(other);
  saved.recorded(false);
  expect(state.text).toBe(guardFile(guard));
  state.isPending = false;
  saved.recorded(false);
  expect(state.text).toBe(guardFile(other));
});

test("saved guard: the guard of a reverted change is never saved", () => {
  const { state, saved } = fixture(guardFile(guard));
  state.isPending = true;
  saved.applied(other);
  state.isPending = false;
  saved.recorded(true); // Going back is a publish, too.
  saved.recorded(false);
  expect(state).toMatchObject({ text: guardFile(guard), writes: 0 });
});

test("saved guard: a full disk is reported, and saving is tried again", () => {
  const { state, saved } = fixture(guardFile(guard));
  state.isFull = true;
  saved.applied(other);
  expect(state).toMatchObject({ text: guardFile(guard), warnings: ["The guard for the next boot cannot be saved"] });
  state.isFull = false;
  saved.applied(other);
  expect(state.text).toBe(guardFile(other));
});
