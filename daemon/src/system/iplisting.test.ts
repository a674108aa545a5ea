import { isInterfaceName } from "@portcullis/contract/values";
import { expect, test } from "vitest";
import { readIp } from "./iplisting.ts";
import type { System } from "./system.ts";

const odd = ['w"}', "a b", "back\\slash", "star*", "hash#", "it's"];
const plain = ["eth0", "br-lan", "eth0.10", "wg{x}", "a;b"];

test("readIp: links whose names cannot stand in a rule are left out, with their addresses, rules and routes", async () => {
  const all = [...plain, ...odd];
  const link = JSON.stringify(all.map((ifname) => ({ ifname, flags: ["UP"] })));
  const address = JSON.stringify(all.map((ifname) => ({ ifname, addr_info: [] })));
  const rule = JSON.stringify([{ priority: 0 }, ...all.map((iif) => ({ iif })), ...all.map((oif) => ({ oif }))]);
  const route = JSON.stringify([{ dst: "192.0.2.0/24" }, ...all.map((dev) => ({ dst: "default", dev }))]);
  const system = {
    run: async (_: string, [family]: readonly string[]) =>
      [...(family === "-4" ? [link] : []), address, rule, route].join("\n"),
    readText: () => "1",
  } as unknown as System;
  const listing = await readIp(system);
  const shown = JSON.stringify(listing);
  for (const name of odd)
    expect([name, shown.includes(JSON.stringify(JSON.stringify(name)).slice(1, -1))]).toEqual([name, false]);
  expect(listing.withoutIpv6).toEqual(plain);
  expect(JSON.parse(listing.links)).toHaveLength(plain.length);
  for (const { addresses, rules, routes } of [listing.v4, listing.v6]) {
    expect(JSON.parse(addresses)).toHaveLength(plain.length);
    expect(JSON.parse(rules)).toHaveLength(1 + 2 * plain.length);
    expect(JSON.parse(routes)).toHaveLength(1 + plain.length);
  }
});

test("the names that are left out are those that no request may give", () => {
  for (const name of plain) expect([name, isInterfaceName(name)]).toEqual([name, true]);
  for (const name of odd) expect([name, isInterfaceName(name)]).toEqual([name, false]);
});
