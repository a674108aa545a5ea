import { resolve } from "node:path";
import { expect, test } from "vitest";
import { type Host, openLab } from "../namespaces.ts";
import { systemOn } from "../system.ts";

const modules = resolve("daemon/src/engines/dnsdist/lua/?.lua");

/** Two policies: the first is stronger. Each line of a script writes addresses for one of them and prints whether that went well. */
const before = (canProlong: boolean): string => `package.path = "${modules}"
local ffi = require("ffi")
local ranks = { [0x40000001] = 5, [0x40000002] = 9 }
local writer = require("kernel").open({ canProlong = ${canProlong} })
local function put(policy, seconds, ...)
  local number = 0x40000000 + policy
  writer.begin()
  for _, it in ipairs({ ... }) do writer.add(ffi.new("uint8_t[16]", it), #it, seconds) end
  print(writer.commit(number, ranks[number], function(other) return ranks[other] end))
end
`;

const table = `table inet portcullis {
  map domain4 { type ipv4_addr : classid; flags timeout; }
  map domain6 { type ipv6_addr : classid; flags timeout; }
}
`;

/** Address, policy, and how long it stays, in whole hours. */
async function heldOn(host: Host): Promise<string[]> {
  const text = await host.run("nft", "-j", "list", "table", "inet", "portcullis");
  const { nftables } = JSON.parse(text) as { nftables: readonly { map?: { elem?: readonly Element[] } }[] };
  return nftables
    .flatMap(({ map }) => map?.elem ?? [])
    .map(([{ elem }, data]) => `${elem.val} ${data} ${Math.round(elem.expires / 3600)}`)
    .toSorted();
}
type Element = readonly [{ readonly elem: { readonly val: string; readonly expires: number } }, string];

test.each([
  ["are prolonged", true],
  ["are replaced, as by kernels before 6.12", false],
])("entries %s, belong to the stronger policy, and a missing entry is reported", async (_, canProlong) => {
  await using lab = openLab();
  const host = await lab.host("gw");
  const nft = (text: string) => systemOn(host).run("nft", ["-f", "-"], { stdin: text });
  const run = async (script: string) =>
    (await host.run("luajit", "-e", before(canProlong) + script)).trimEnd().split("\n");
  const v6 = `{ 0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1 }`;

  expect(await run("put(1, 3660, { 1, 2, 3, 4 })")).toEqual(["false"]); // There is no map.
  await nft(table);
  expect(await run(`put(2, 3660, { 1, 2, 3, 4 }, { 1, 2, 3, 5 }, { 1, 2, 3, 4 }, ${v6}) put(2, 3660)`)).toEqual([
    "true",
    "true",
  ]);
  expect(await heldOn(host)).toEqual(["1.2.3.4 4000:2 1", "1.2.3.5 4000:2 1", "2001:db8::1 4000:2 1"]);
  // Time anew, for one that is known and one that is not.
  expect(await run("put(2, 7260, { 1, 2, 3, 4 }, { 1, 2, 3, 6 })")).toEqual(["true"]);
  expect(await heldOn(host)).toEqual([
    "1.2.3.4 4000:2 2",
    "1.2.3.5 4000:2 1",
    "1.2.3.6 4000:2 2",
    "2001:db8::1 4000:2 1",
  ]);
  // The stronger takes, the weaker leaves; a policy that is gone has no say.
  await nft("add element inet portcullis domain4 { 9.9.9.9 timeout 1h : 4000:7 }\n");
  expect(
    await run(`put(1, 3660, { 1, 2, 3, 4 }, ${v6}) put(2, 3660, { 1, 2, 3, 4 }, { 9, 9, 9, 9 }, { 1, 2, 3, 7 })`),
  ).toEqual(["true", "true"]);
  expect(await heldOn(host)).toEqual([
    "1.2.3.4 4000:1 1",
    "1.2.3.5 4000:2 1",
    "1.2.3.6 4000:2 2",
    "1.2.3.7 4000:2 1",
    "2001:db8::1 4000:1 1",
    "9.9.9.9 4000:2 1",
  ]);
  // One that was written a moment ago is written again: another program may have emptied the map.
  const emptied = 'os.execute("nft flush map inet portcullis domain4")';
  expect(await run(`put(2, 3660, { 5, 5, 5, 5 }) ${emptied} put(2, 3660, { 5, 5, 5, 5 })`)).toEqual(["true", "true"]);
  expect(await heldOn(host)).toEqual(["2001:db8::1 4000:1 1", "5.5.5.5 4000:2 1"]);
  await nft("delete table inet portcullis\n");
  expect(await run("put(1, 3660, { 1, 2, 3, 4 })")).toEqual(["false"]);
});
