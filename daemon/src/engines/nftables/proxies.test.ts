import { join } from "node:path";
import { expect, test } from "vitest";
import { countersIn } from "./counters.parse.ts";
import type { Proxies } from "./proxies.model.ts";
import { proxiesTable, renderProxies } from "./proxies.render.ts";

const golden = (name: string): string => join(import.meta.dirname, "goldens", name);

const server = { address: "192.0.2.20", port: 1080 };
const proxies: Proxies = {
  lan: ["lan0", "lan1"],
  redirectors: [
    { name: "nl", egresses: [0x31], port: 12345, server, mark: 0x8000_0001, interface: "wan0" },
    {
      name: "se",
      egresses: [0x32],
      port: 12346,
      server: { address: "2001:db8::20", port: 1080 },
      mark: 0x8000_0002,
      interface: "wg0",
    },
  ],
  listeners: [{ name: "kiosk", port: 1080, userId: 1_900_001_080, mark: 0x8000_0002, interface: "wg0" }],
};

test("the table of the proxies", () => expect(renderProxies(proxies)).toMatchFileSnapshot(golden("proxies.nft")));

test("without a proxy it is empty, but there", () =>
  expect(renderProxies({ lan: ["lan0"], redirectors: [], listeners: [] })).toMatchFileSnapshot(
    golden("no-proxies.nft"),
  ));

test("a server that two redirectors reach by different ways has none of its own", () => {
  const other = { ...proxies.redirectors[0]!, name: "nl over se", egresses: [0x33], port: 12347, mark: 0x8000_0002 };
  const text = renderProxies({ ...proxies, redirectors: [...proxies.redirectors, { ...other, interface: "wg0" }] });
  expect(text).toContain("elements = { 192.0.2.20 . 1080 : 0x800000ff }");
  expect(text).toContain('elements = { 192.0.2.20 . 1080 . "wan0", 192.0.2.20 . 1080 . "wg0" }');
});

test("counters are read from what nft lists, and only those of the table", () => {
  const json = `{"nftables": [{"metainfo": {"version": "1.0.6", "release_name": "Lester Gooch #5", "json_schema_version": 1}},
{"counter": {"family": "inet", "name": "astray", "table": "portcullis_proxies", "handle": 4, "packets": 3, "bytes": 180}},
{"counter": {"family": "inet", "name": "strangers", "table": "portcullis_guard", "handle": 4, "packets": 9, "bytes": 900}}]}`;
  expect([...countersIn(json, proxiesTable)]).toEqual([["astray", { packets: 3, bytes: 180 }]]);
  expect([...countersIn("{}", proxiesTable)]).toEqual([]);
});
