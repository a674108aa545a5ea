import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { complaintsOf, excuseOf } from "../lab/leaks/layers-document.ts";
import { linesOf, type Part } from "../lab/leaks/kernel-state.ts";

test("leak layers: without any single part nothing leaks, and the removal of each is noticed or excused", () => {
  const page = readFileSync("docs/leak-layers.md", "utf8");
  expect(page).toContain("| **parts without which something leaks, all other layers on** | **0** |");
  expect(Number(/^\| parts \| (\d+) \|$/m.exec(page)?.[1])).toBeGreaterThan(150);
  expect(page).not.toContain("**nothing**");
});

describe("the loaded ruleset is split into parts", () => {
  const ruleset = `table inet portcullis_guard {
	set pairs {
		type mark . ifname
		elements = { 0x80000001 . "wan0",
			     0x80000002 . "t1" }
	}

	counter leak_forward {
		packets 3 bytes 120
	}

	chain forward {
		type filter hook forward priority filter + 10; policy drop;
		meta mark . oifname @pairs accept
		counter name "leak_forward" drop
	}
}`;
  const parts = linesOf(ruleset).flatMap(({ part }) => (part ? [part] : []));

  test("rules, elements of sets, and policies that drop", () => {
    expect(parts.map(({ kind, place, text }) => [kind, place, text])).toEqual([
      ["elements", "pairs", 'elements = { 0x80000001 . "wan0", 0x80000002 . "t1" }'],
      ["policy", "forward", "type filter hook forward priority filter + 10; policy drop;"],
      ["rule", "forward", "meta mark . oifname @pairs accept"],
      ["rule", "forward", 'counter name "leak_forward" drop'],
    ]);
  });

  test("a dropping rule whose removal nothing notices is reported, and so is a leak", () => {
    const stops: Part = { ...parts[3]!, id: "new", place: "input", text: "udp dport 4000 drop" };
    const all = [...parts, stops];
    expect(excuseOf(stops, all)).toBeUndefined();
    expect(complaintsOf([{ part: stops, leaks: [], noticed: [] }], all)).toEqual([
      "nothing misses inet portcullis_guard input: udp dport 4000 drop",
    ]);
    const noticed = [{ situation: "alone", by: ["phone udp4"] }];
    expect(complaintsOf([{ part: stops, leaks: ["phone udp4"], noticed }], all)).toEqual([
      "without inet portcullis_guard input: udp dport 4000 drop, phone udp4",
    ]);
    // On a slow machine any client may be unanswered.
    const unanswered = [{ situation: "alone", by: ["unanswered tcp4"] }];
    expect(complaintsOf([{ part: stops, leaks: [], noticed: unanswered }], all)).toHaveLength(1);
    // Removing an accepting rule blocks its clients: it needs no test.
    expect(complaintsOf([{ part: parts[2]!, leaks: [], noticed: [] }], all)).toEqual([]);
  });
});
