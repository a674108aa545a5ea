import { join } from "node:path";
import { expect, test } from "vitest";
import { countersIn } from "../steering/counters.parse.ts";
import { routedMark } from "../marks.model.ts";
import type { Redirect } from "./redirect.model.ts";
import { redirectTable, renderRedirect } from "./redirect.render.ts";

const golden = (name: string): string => join(import.meta.dirname, "goldens", name);

const server = { address: "192.0.2.20", port: 1080 };
const proxies: Redirect = {
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
  dns: null,
};

test("redirect: the table with proxies", () =>
  expect(renderRedirect(proxies)).toMatchFileSnapshot(golden("redirect.nft")));

test("without a proxy it is empty, but there", () =>
  expect(renderRedirect({ lan: ["lan0"], redirectors: [], listeners: [], dns: null })).toMatchFileSnapshot(
    golden("no-redirect.nft"),
  ));

const dns: Redirect["dns"] = {
  listener: { port: 53, address: null },
  resolverPorts: [
    { egress: 0x01, port: 18_008 },
    { egress: 0x02, port: 18_016 },
    { egress: 0xff, port: 18_000 },
  ],
  ownPort: 18_008,
  external: null,
  programs: [
    { userId: 1_900_018_000, egress: null },
    { userId: 1_900_018_008, egress: { mark: 0x8000_0001, interfaces: ["wan0"] } },
    { userId: 1_900_018_012, egress: null },
    { userId: 1_900_018_016, egress: { mark: 0x8000_0002, interfaces: ["wg0"] } },
  ],
};

test("redirect: the table with proxies and resolvers", () =>
  expect(renderRedirect({ ...proxies, dns })).toMatchFileSnapshot(golden("redirect-dns.nft")));

test("resolvers alone", () =>
  expect(renderRedirect({ lan: ["lan0"], redirectors: [], listeners: [], dns })).toMatchFileSnapshot(
    golden("dns-redirect.nft"),
  ));

test("redirect: queries to a resolver inside a tunnel are dropped on other interfaces", () => {
  const tunnelResolvers = [
    { userId: 1_900_018_016, address: "10.9.0.1", interface: "wg0" },
    { userId: 1_900_018_016, address: "fd09::1", interface: "wg0" },
  ];
  for (const beside of [proxies, { lan: ["lan0"], redirectors: [], listeners: [] }]) {
    const text = renderRedirect({ ...beside, dns: { ...dns, tunnelResolvers } });
    for (const [family, number] of [
      ["ip", 4],
      ["ip6", 6],
    ])
      expect(text).toContain(
        `meta skuid . ${family} daddr @tunnel_resolver${number} meta skuid . ${family} daddr . oifname != @tunnel_resolver${number}_at counter name wrong_egress drop`,
      );
    expect(text).toContain('1900018016 . 10.9.0.1 . "wg0"');
    expect(renderRedirect({ ...beside, dns })).not.toContain("tunnel_resolver");
  }
});

test("redirect: the connections of a resolver behind a proxy are redirected, and it has no other egress", () => {
  const program = {
    userId: 1_900_018_040,
    egress: { mark: routedMark(proxies.redirectors[0]!.egresses[0]!), interfaces: [] },
  };
  const text = renderRedirect({ ...proxies, dns: { ...dns, programs: [program] } });
  expect(text).toContain(`elements = { 1900018040 : ${proxies.redirectors[0]!.port} }`);
  expect(text).toContain("redirect to :meta skuid map @user_redirect_port");
  expect(text).not.toContain("1900018040 . ");
  expect(renderRedirect({ ...proxies, dns })).not.toContain("@user_redirect_port");
});

test("redirect: only the external filter may use the return port", () => {
  const rendered = (address: string) =>
    renderRedirect({
      lan: ["lan0"],
      redirectors: [],
      listeners: [],
      dns: { ...dns, external: { address, port: 5353, returnPort: 18_009 } },
    });
  const text = rendered("10.0.0.6");
  const lets = 'iifname "lan0" ip saddr 10.0.0.6 meta l4proto { tcp, udp } th dport 18009 accept';
  expect(text.indexOf(lets)).toBeGreaterThan(0);
  expect(text.indexOf(lets)).toBeLessThan(text.indexOf("th dport 18000-20047 ct status and dnat == 0 drop"));
  expect(text).toContain('oifname "lo" ip daddr 10.0.0.6 meta l4proto { tcp, udp } th dport 5353 accept');
  expect(rendered("fd00::6")).toContain("ip6 saddr fd00::6 meta l4proto { tcp, udp } th dport 18009 accept");
});

test("redirect: a server that two redirectors reach through different egresses has no mark of its own", () => {
  const other = { ...proxies.redirectors[0]!, name: "nl over se", egresses: [0x33], port: 12347, mark: 0x8000_0002 };
  const text = renderRedirect({ ...proxies, redirectors: [...proxies.redirectors, { ...other, interface: "wg0" }] });
  expect(text).toContain("elements = { 192.0.2.20 . 1080 : 0x800000ff }");
  expect(text).toContain('elements = { 192.0.2.20 . 1080 . "wan0", 192.0.2.20 . 1080 . "wg0" }');
});

test("counters are read from what nft lists, and only those of the table", () => {
  const json = `{"nftables": [{"metainfo": {"version": "1.0.6", "release_name": "Lester Gooch #5", "json_schema_version": 1}},
{"counter": {"family": "inet", "name": "wrong_egress", "table": "portcullis_redirect", "handle": 4, "packets": 3, "bytes": 180}},
{"counter": {"family": "inet", "name": "unsolicited", "table": "portcullis_guard", "handle": 4, "packets": 9, "bytes": 900}}]}`;
  expect([...countersIn(json, redirectTable)]).toEqual([["wrong_egress", { packets: 3, bytes: 180 }]]);
  expect([...countersIn("{}", redirectTable)]).toEqual([]);
});
