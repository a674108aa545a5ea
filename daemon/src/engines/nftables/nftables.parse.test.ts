import { describe, expect, test } from "vitest";
import { watchCommits } from "./commits.ts";
import { differingSets, canonicalListing, differingElements, namesIn } from "./nftables.parse.ts";
import type { NamedSet } from "./table.model.ts";

const listing = (...items: object[]): string => JSON.stringify({ nftables: [{ metainfo: {} }, ...items] });
const map = (name: string, elem?: unknown[]) => ({
  map: { family: "inet", name, table: "portcullis", handle: 7, ...(elem && { elem }) },
});
const namedSet = (name: string, ...elements: NamedSet["elements"]): NamedSet => ({
  name,
  kind: "map",
  type: "x",
  elements,
});

describe("elements as nft lists them are known again", () => {
  test.each([
    ["02:00:00:00:00:01", { key: "02:00:00:00:00:01", data: "0x00000005" }, 5],
    ["an interface", { key: '"lan0.10"', data: "goto validate" }, { goto: { target: "validate" } }, "lan0.10"],
    ["a network", { key: "10.0.0.0/8", data: "0:5" }, "0:5", { prefix: { addr: "10.0.0.0", len: 8 } }],
    ["a range", { key: "10.0.0.3-10.0.0.9", data: "0:5" }, "0:5", { range: ["10.0.0.3", "10.0.0.9"] }],
    [
      "ranges of marks and classes that look like networks",
      { key: "0x00000000-0xffffffff . 0:8-0:f", data: "jump take_candidate" },
      { jump: { target: "take_candidate" } },
      { concat: [{ prefix: { addr: 0, len: 0 } }, { prefix: { addr: "0:8", len: 29 } }] },
    ],
    ["one with a remark", { key: "0x00000001", data: "0x20000100" }, 0x2000_0100, { elem: { val: 1, comment: "p" } }],
  ])("%s", (name, element, data, key: unknown = name) => {
    const json = listing(map("m", [[key, data]]));
    expect(differingElements("portcullis", [namedSet("m", element)], json, 0)).toEqual([]);
    expect(differingElements("portcullis", [namedSet("m")], json, 0)).toHaveLength(1); // And would not be overlooked.
  });
});

test("what is missing, strange or leads elsewhere is named; what expired by itself is not", () => {
  const loaded = [
    namedSet(
      "m",
      { key: "a", data: "0:1" },
      { key: "b", data: "0:2" },
      { key: "c", data: "0:3", untilMs: 1 },
      { key: "e", untilMs: 3 },
    ),
    { ...namedSet("domain4"), isFilledElsewhere: true as const },
  ];
  const json = listing(
    map("m", [
      ["b", "0:9"],
      ["d", "0:4"],
    ]),
    map("domain4", [["1.2.3.4", "4000:1"]]),
  ); // prettier-ignore
  expect(differingElements("portcullis", loaded, json, 2)).toEqual([
    { resource: "portcullis m", field: "element a", expected: "0:1", actual: null },
    { resource: "portcullis m", field: "element b", expected: "0:2", actual: "0:9" },
    { resource: "portcullis m", field: "element e", expected: "", actual: null },
    { resource: "portcullis m", field: "element d", expected: null, actual: "0:4" },
  ]);
});

test("nft listing: it contains our tables only, without handles", () => {
  const theirs = { map: { family: "inet", name: "m", table: "docker", handle: 1 } };
  const text = canonicalListing(listing({ table: { family: "inet", name: "portcullis" } }, map("m"), theirs), [
    "inet portcullis",
  ]);
  expect(text).not.toMatch(/docker|handle/);
  expect(namesIn(text, "inet portcullis")).toEqual({ sets: ["m"], chains: [] });
});

test("nft commits: a process number of ours counts once; the next commit with it is foreign", () => {
  const commits = watchCommits();
  commits.ours(41);
  expect(commits.isForeignChange("# new generation 9 by process 41 (nft)")).toBe(false);
  expect(commits.isForeignChange("# new generation 10 by process 41 (nft)")).toBe(true);
  commits.ours(41);
  expect(commits.isForeignChange("# new generation 11 by process 41 (nft)")).toBe(false);
});

test("nft commits: foreign commits and gaps are distinguished from our own commits", () => {
  const commits = watchCommits();
  commits.ours(41);
  expect(commits.isForeignChange("# new generation 9 by process 41 (nft)")).toBe(false);
  expect(commits.isForeignChange("add element inet portcullis m { a : 0x1 }")).toBe(false);
  expect(commits.foreignCommits()).toBe(0);
  expect(commits.isForeignChange("# new generation 10 by process 42 (nft)")).toBe(true);
  expect(commits.isForeignChange("# ERROR: We lost some netlink events!")).toBe(true);
  commits.invalidate();
  expect(commits.foreignCommits()).toBe(3);
});

test("nft read-back: foreign elements and missing elements are found", () => {
  const script = `table inet t {
	set pairs {
		type mark . ifname
	}
}
table inet t {
	set pairs {
		type mark . ifname
		elements = { 0x80000001 . "wan0", 0x80000002 . "t1" }
	}
	map ports {
		type mark : inet_service
		elements = { 0x80000002 : 18016 }
	}
}
`;
  const held = (pairs: unknown[], ports: unknown[]) =>
    canonicalListing(
      listing(
        { set: { family: "inet", table: "t", name: "pairs", elem: pairs } },
        { set: { family: "inet", table: "t", name: "empty" } },
        {
          set: {
            family: "inet",
            table: "t",
            name: "tried",
            flags: ["timeout", "dynamic"],
            elem: ["02:00:00:00:00:01"],
          },
        },
        { map: { family: "inet", table: "t", name: "ports", elem: ports } },
      ),
      ["inet t"],
    );
  const [wan, t1, open] = [
    { concat: [0x8000_0001, "wan0"] },
    { concat: [0x8000_0002, "t1"] },
    { concat: [0x8000_0002, "wan0"] },
  ];
  expect(differingSets(script, held([t1, wan], [[0x8000_0002, 18_016]]))).toEqual([]);
  expect(differingSets(script, held([t1, wan, open], [[0x8000_0002, 18_016]]))).toEqual(["pairs"]);
  expect(differingSets(script, held([t1], [[0x8000_0002, 18_016]]))).toEqual(["pairs"]);
  expect(differingSets(script, held([t1, wan], [[0x8000_0002, 18_008]]))).toEqual(["ports"]);
  expect(differingSets(script, held([t1, wan], []))).toEqual(["ports"]);
});
