import { spawn } from "node:child_process";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../testing/folder.ts";
import { linux } from "../../system/system.ts";
import { filterPolicyFiles } from "./filter-policy.files.ts";
import type { FilterPolicy } from "./filter-policy.model.ts";
import { renderFilterPolicy } from "./filter-policy.render.ts";
import { parseCdb } from "./cdb.parse.ts";
import { listLookup, renderLists } from "./lists.render.ts";
import { wireOf } from "./name.model.ts";

const blocking = (name: string): FilterPolicy => ({
  isFiltering: true,
  clients: [],
  others: { layers: [1], lists: 1, log: "full" },
  layers: [{ number: 1, rules: [{ cause: "", match: { kind: "suffix", name }, action: { kind: "block" } }] }],
  lists: [{ id: "one", name: "", bit: 0 }],
  routes: [],
});
const listing = (name: string): Uint8Array =>
  renderLists([[name, { exact: 1, below: 1, allowExact: 0, allowBelow: 0 }]]);

test("a running resolver sees what is put in force, and nothing of what is broken", async () => {
  using folder = temporaryFolder();
  await using resolver = resolverOn(folder.path);
  const files = filterPolicyFiles(linux, folder.path);
  expect(await resolver.blocks("a.test", "list.test")).toEqual("not ready");

  await files.write({ policy: renderFilterPolicy(blocking("a.test")), lists: listing("list.test"), isFiltering: true });
  const page = statSync(join(folder.path, "state")).ino;
  expect(await resolver.blocks("a.test", "x.a.test", "b.test", "list.test")).toEqual([
    "a.test",
    "x.a.test",
    "list.test",
  ]);

  await files.write({ policy: renderFilterPolicy(blocking("b.test")), isFiltering: true });
  expect(await resolver.blocks("a.test", "b.test", "list.test")).toEqual(["b.test", "list.test"]);

  await files.write({ policy: renderFilterPolicy(blocking("c.test")).subarray(0, -1), isFiltering: true });
  expect(await resolver.blocks("b.test", "c.test", "list.test")).toEqual(["b.test", "list.test"]);

  await files.write({ isFiltering: false });
  expect(await resolver.blocks("b.test", "list.test")).toEqual([]);

  const both = [
    files.write({ policy: renderFilterPolicy(blocking("d.test")), isFiltering: false }),
    files.write({ lists: listing("other.test"), isFiltering: true }),
  ];
  await Promise.all(both);
  expect(await resolver.blocks("b.test", "d.test", "list.test", "other.test")).toEqual(["d.test", "other.test"]);
  expect(statSync(join(folder.path, "state"))).toMatchObject({ ino: page, size: 4096 });
  expect(listLookup(parseCdb(files.readLists()!)!)("other.test")).toMatchObject({ exact: 1 });
});

test("what decides about a name is tagged with the revision of the policy it stands in, also after the next one is written", async () => {
  using folder = temporaryFolder();
  const files = filterPolicyFiles(linux, folder.path);
  const write = (revision: number, name: string) =>
    files.write({
      policy: renderFilterPolicy(blocking(name), undefined, revision),
      lists: listing("list.test"),
      isFiltering: true,
    });
  const script = `package.path = ${JSON.stringify(join(import.meta.dirname, "lua/?.lua"))}
    local ffi = require("ffi")
    local filterPolicy = require("verdict").open(${JSON.stringify(folder.path)})
    local recall = require("verdict-cache").open(filterPolicy)
    for line in io.lines() do
      filterPolicy.refresh()
      local it = recall(filterPolicy.client(ffi.new("uint8_t[4]", { 192, 0, 2, 1 }), 4), ffi.cast("const uint8_t*", "\\1a\\4test\\0"), 8)
      print(it.kind, it.label, it.by)
      io.flush()
    end`;
  const child = spawn("luajit", ["-e", script], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const said = async () => {
    child.stdin.write("\n");
    return String((await lines.next()).value).split("\t");
  };
  await write(4_000_000_017, "a.test");
  expect(await said()).toEqual(["2", "r", "0@4000000017"]);
  await write(18, "a.test");
  expect(await said()).toEqual(["2", "r", "0@18"]);
  child.stdin.end();
});

test("a page that is too short is made whole where it lies, and its generation counts on", async () => {
  using folder = temporaryFolder();
  const page = join(folder.path, "state");
  writeFileSync(page, Uint8Array.of(7, 1, 0, 0, 0));
  const { ino } = statSync(page);
  await filterPolicyFiles(linux, folder.path).write({ isFiltering: true });
  expect([...linux.readBytes(page)!.subarray(0, 8)]).toEqual([8, 1, 0, 0, 1, 0, 0, 0]);
  expect(statSync(page)).toMatchObject({ ino, size: 4096 });
});

/** One process for all queries, as a resolver. */
function resolverOn(folder: string) {
  const driver = join(import.meta.dirname, "../../../../testing/dns-queries.lua");
  const child = spawn("luajit", [driver, join(import.meta.dirname, "lua"), folder, "one-by-one"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  async function isBlocked(name: string): Promise<boolean | undefined> {
    child.stdin.write(`c0000201 ${Buffer.from(wireOf(name)!).toString("hex")}\n`);
    const said = String((await lines.next()).value);
    return said === "not ready" ? undefined : said.startsWith("2 ");
  }
  return {
    blocks: async (...names: string[]): Promise<readonly string[] | "not ready"> => {
      const blocked: string[] = [];
      for (const name of names) {
        const is = await isBlocked(name);
        if (is === undefined) return "not ready";
        if (is) blocked.push(name);
      }
      return blocked;
    },
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      await ended;
    },
  };
}
