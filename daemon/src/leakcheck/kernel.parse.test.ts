import { clause } from "@portcullis/contract/reason";
import { expect, test } from "vitest";
import {
  arrivalsIn,
  createProbeLink,
  patternOf,
  renderProbeTable,
  renderSenderTable,
  egressInterfacesIn,
} from "./spoofed-probes.render.ts";
import { addressesIn } from "./echo.ts";
import { flowsIn, foreignRulesIn, neighboursIn, rulesOf } from "./kernel.parse.ts";

test("neighbours: entries that answered, with the router flag", () => {
  const json = `[{"dst":"10.0.0.2","dev":"lan0","lladdr":"02:00:00:00:00:01","state":["STALE"]},
    {"dst":"10.0.0.9","dev":"lan0","state":["FAILED"]},
    {"dst":"10.0.0.8","dev":"lan0","lladdr":"02:00:00:00:00:08","state":["INCOMPLETE"]},
    {"dst":"fe80::66","dev":"lan0","lladdr":"02:66:66:66:66:66","router":null,"state":["PERMANENT"]}]`;
  expect(neighboursIn(json)).toEqual([
    { address: "10.0.0.2", interface: "lan0", mac: "02:00:00:00:00:01", isRouter: false },
    { address: "fe80::66", interface: "lan0", mac: "02:66:66:66:66:66", isRouter: true },
  ]);
  expect(neighboursIn("")).toEqual([]);
});

test("routing rules: the matches on the sender are parsed, for every rule", () => {
  const json = `[{"priority":0,"src":"all","table":"local"},
    {"priority":100,"src":"10.0.0.0","srclen":24,"iif":"lan0","table":"main"},
    {"priority":101,"not":null,"src":"all","fwmark":"0xca6c","table":"51820"},
    {"priority":6990,"src":"all","oif":"pc-probe0","table":"6990"},
    {"priority":7000,"src":"all","fwmark":"0","fwmask":"0x80000000","goto":7900},
    {"priority":32766,"src":"all","table":"main","suppress_prefixlen":0}]`;
  const rules = rulesOf(json, 4);
  expect(rules.map(({ text }) => text)).toEqual([
    "0: from all lookup local",
    "100: from 10.0.0.0/24 iif lan0 lookup main",
    "101: not from all fwmark 0xca6c lookup 51820",
    "6990: from all oif pc-probe0 lookup 6990",
    "7000: from all fwmark 0 fwmask 0x80000000 goto 7900",
    "32766: from all suppress_prefixlen 0 lookup main",
  ]);
  expect(rules[1]).toMatchObject({ from: "10.0.0.0/24", iif: "lan0", mark: null, isForOwnPackets: false });
  expect(rules[2]).toMatchObject({ mark: { value: 0xca6c, mask: 0xffffffff }, isInverted: true });
  expect(rules[3]!.isForOwnPackets).toBe(true);
});

test("conntrack: both directions and the mark are parsed", () => {
  const lines = `udp      17 299 src=10.0.0.2 dst=203.0.113.5 sport=5555 dport=6666 [UNREPLIED] src=203.0.113.5 dst=192.0.2.1 sport=6666 dport=5555 mark=77777 use=1
icmpv6   58 5 src=fd00::2 dst=2001:db8::1 type=128 code=0 id=7 src=2001:db8::1 dst=2001:db8::9 type=129 code=0 id=7 mark=0 use=1

conntrack v1.4.7 (conntrack-tools): 2 flow entries have been shown.`;
  expect(flowsIn(lines, 4)).toMatchObject([
    {
      protocol: "udp",
      source: "10.0.0.2",
      destination: "203.0.113.5",
      port: 6666,
      answerFrom: "203.0.113.5",
      answerTo: "192.0.2.1",
      mark: 77_777,
    },
    { protocol: "icmpv6", source: "fd00::2", port: null, answerTo: "2001:db8::9", mark: 0 },
  ]);
});

test("foreign rules: only those that change marks, addresses or routes, with their matches on the sender", () => {
  const rule = (family: string, table: string, expr: object[]) => ({
    rule: { family, table, chain: "c", handle: 1, expr },
  });
  const from = (protocol: string, right: unknown) => ({
    match: { op: "==", left: { payload: { protocol, field: "saddr" } }, right },
  });
  const json = JSON.stringify({
    nftables: [
      rule("inet", "other", [from("ip", "10.0.0.3"), { mangle: { key: { meta: { key: "mark" } }, value: 1 } }]),
      rule("ip", "nat", [from("ip", { prefix: { addr: "172.17.0.0", len: 16 } }), { masquerade: null }]),
      rule("ip6", "nat", [from("ether", "02:00:00:00:00:01"), { dnat: { addr: "fd00::9" } }]),
      rule("inet", "filter", [
        { match: { op: "==", left: { meta: { key: "iifname" } }, right: "lan0" } },
        { flow: {} },
      ]),
      rule("inet", "filter", [
        from("ip", { set: ["10.0.0.1", { range: ["10.0.0.3", "10.0.0.9"] }] }),
        { redirect: null },
      ]),
      rule("inet", "filter", [{ accept: null }]),
      rule("inet", "portcullis_nat", [{ masquerade: null }]),
    ],
  });
  expect(
    foreignRulesIn(json, ["inet portcullis_nat"]).map(({ table, action, matches, family }) => [
      table,
      clause(action),
      matches,
      family,
    ]),
  ).toEqual([
    ["inet other", "set the mark of packets", { source: ["10.0.0.3"], mac: null, iif: null }, 4],
    ["ip nat", "masquerade", { source: ["172.17.0.0/16"], mac: null, iif: null }, 4],
    ["ip6 nat", "dnat", { source: null, mac: "02:00:00:00:00:01", iif: null }, 6],
    ["inet filter", "flow", { source: null, mac: null, iif: "lan0" }, null],
    // A match that cannot be parsed counts as any sender.
    ["inet filter", "redirect", { source: null, mac: null, iif: null }, 4],
  ]);
});

test("probe table: sets the sender of each probe, counts arrivals, and drops each probe after recording its interface", () => {
  const mac = "02:00:00:00:00:01";
  const probes = [
    { number: 1, sequence: 1, family: 4, mac, source: "10.0.0.2", destination: "198.18.3.4" },
    { number: 2, sequence: 1, family: 6, mac, source: "fd00::2", destination: "2001:2:0:5::4" },
    { number: 3, sequence: 2, family: 4, mac, source: "10.0.0.3", destination: "198.18.3.5" },
  ] as const;
  expect(patternOf(0xabcdef01)).toBe("abcdef01");
  expect(renderProbeTable(probes, 0xabcdef01, "lan0")).toMatchInlineSnapshot(`
    "table inet portcullis_probe {
    	set left {
    		type mark . ifname
    		size 65536
    		flags dynamic
    	}
    	set arrived {
    		type ifname
    		size 1
    		flags dynamic
    		counter
    	}
    	chain arrival {
    		type filter hook prerouting priority -500; policy accept;
    		iifname "lan0" meta l4proto { icmp, ipv6-icmp } @th,192,32 0xabcdef01 add @arrived { iifname }
    	}
    	chain watch {
    		type filter hook postrouting priority 2000; policy accept;
    		oifname "pc-probe0" goto sender
    		meta l4proto { icmp, ipv6-icmp } @th,192,32 0xabcdef01 jump seen
    	}
    	chain sender {
    		meta l4proto icmp ip saddr set icmp sequence map { 1 : 10.0.0.2, 2 : 10.0.0.3 }
    		meta l4proto ipv6-icmp ip6 saddr set icmpv6 sequence map { 1 : fd00::2 }
    		meta l4proto icmp ip daddr set icmp sequence map { 1 : 198.18.3.4, 2 : 198.18.3.5 }
    		meta l4proto ipv6-icmp ip6 daddr set icmpv6 sequence map { 1 : 2001:2:0:5::4 }
    	}
    	chain seen {
    		meta l4proto icmp meta mark set icmp sequence map { 1 : 1, 2 : 3 }
    		meta l4proto ipv6-icmp meta mark set icmpv6 sequence map { 1 : 2 }
    		add @left { meta mark . oifname }
    		drop
    	}
    }
    "
  `);
  expect(renderSenderTable(probes)).toMatchInlineSnapshot(`
    "table netdev portcullis_probe {
    	chain sender {
    		type filter hook egress device "pc-probe0" priority 0; policy accept;
    		meta l4proto icmp ether saddr set icmp sequence map { 1 : 02:00:00:00:00:01, 2 : 02:00:00:00:00:01 }
    		meta l4proto ipv6-icmp ether saddr set icmpv6 sequence map { 1 : 02:00:00:00:00:01 }
    	}
    }
    "
  `);
  expect(createProbeLink("lan0").tc).toContain("mirred ingress redirect dev lan0");
});

test("probe table: arrivals, and the recorded interfaces per probe", () => {
  const listing = (...elem: readonly unknown[]) => JSON.stringify({ nftables: [{ metainfo: {} }, { set: { elem } }] });
  const left = [{ concat: [1, "t1"] }, { elem: { val: { concat: [3, "wan0"] } } }, { concat: [1, "t2"] }];
  expect(egressInterfacesIn(listing(...left))).toEqual(
    new Map([
      [1, ["t1", "t2"]],
      [3, ["wan0"]],
    ]),
  );
  expect(egressInterfacesIn(JSON.stringify({ nftables: [{ set: { name: "left" } }] }))).toEqual(new Map());
  expect(arrivalsIn(listing({ elem: { val: "lan0", counter: { packets: 3, bytes: 252 } } }))).toBe(3);
  expect(arrivalsIn(listing())).toBe(0);
});

test("echo: addresses are found in text, JSON and HTML", () => {
  expect(addressesIn("192.0.2.9\n")).toEqual(["192.0.2.9"]);
  expect(addressesIn('{"ip":"2001:db8::1","port":8080}')).toEqual(["2001:db8::1"]);
  expect(addressesIn("<p>You are 192.0.2.9.</p> at 10:30")).toEqual(["192.0.2.9"]);
  expect(addressesIn("unknown")).toEqual([]);
});
