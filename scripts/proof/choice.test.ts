import { expect, test } from "vitest";
import { namedParts, parseChoice } from "./choice.ts";
import { parts } from "./parts.ts";

const defaults = { words: [], which: "stale", listOnly: false, forSec: Infinity, sizes: {} };

test.each([
  ["", {}],
  ["--stale", {}],
  ["--all", { which: "all" }],
  ["dns", { words: ["dns"], which: "all" }],
  ["dns vm --stale", { words: ["dns", "vm"] }],
  ["--list", { which: "all", listOnly: true }],
  ["--list --stale", { listOnly: true }],
  ["--for 90s", { forSec: 90 }],
  ["--for 60m", { forSec: 3600 }],
  ["--for=1.5h", { forSec: 5400 }],
  [
    "fuzz --with SECONDS=2 --with DNS_RATE=0.5",
    { words: ["fuzz"], which: "all", sizes: { SECONDS: 2, DNS_RATE: 0.5 } },
  ],
])("%j is understood", (line, expected) => {
  expect(parseChoice(line.split(" ").filter(Boolean))).toEqual({ ...defaults, ...expected });
});

test.each([
  ["--for 60", "Not a time: 60"],
  ["--for soon", "Not a time"],
  ["--stale --all", "exclude each other"],
  ["--unknown", "Unknown option"],
  ["--with SECONDS", "Not a size"],
  ["--with seconds=2", "Not a size"],
])("%j is refused", (line, reason) => {
  expect(() => parseChoice(line.split(" "))).toThrow(reason);
});

test("proof arguments: parts are named by any word in their name, in the order of the proof", () => {
  const names = (...words: string[]) => namedParts(parts, words).map(({ name }) => name);
  expect(names()).toEqual(parts.map(({ name }) => name));
  expect(names("vm", "fuzz")).toEqual(["fuzz", "vm"]);
  expect(names("bench-dns")).toEqual(["bench-dns", "bench-dns-log"]);
  expect(() => names("fuzz", "nothing")).toThrow("nothing");
});
