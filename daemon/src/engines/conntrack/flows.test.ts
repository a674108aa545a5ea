import { expect, test } from "vitest";
import { countedFlowIn, countedFlowsIn } from "./flows.parse.ts";

test("conntrack: a connection has its opener, its destination, its mark and the counters of both directions", () => {
  const line =
    "ipv4     2 tcp      6 431999 ESTABLISHED src=10.0.0.5 dst=203.0.113.9 sport=40000 dport=443 packets=12 bytes=3400 src=203.0.113.9 dst=192.0.2.1 sport=443 dport=40000 packets=10 bytes=98000 [ASSURED] mark=16843010 use=1 id=2737127117";
  expect(countedFlowIn(line)).toEqual({
    id: 2_737_127_117,
    source: "10.0.0.5",
    destination: "203.0.113.9",
    mark: 16_843_010,
    isDns: false,
    isRedirected: false,
    sent: { packets: 12, bytes: 3400 },
    received: { packets: 10, bytes: 98_000 },
  });
});

test("conntrack: the event of an ended connection is read like a listed one, with ICMP identifiers and IPv6", () => {
  const line =
    "[DESTROY] ipv6     10 icmpv6   58 29 src=fd09::1 dst=fd09::2 type=128 code=0 id=2432 packets=2 bytes=208 src=fd09::2 dst=fd09::1 type=129 code=0 id=2432 packets=2 bytes=208 mark=2164261122 id=4208967494 [USERSPACE] portid=2592";
  expect(countedFlowIn(line)).toMatchObject({
    id: 4_208_967_494,
    source: "fd09::1",
    mark: 2_164_261_122,
    isRedirected: false,
    sent: { packets: 2, bytes: 208 },
  });
});

test("conntrack: a query that is redirected to a resolver is recognised, and one to another server is not redirected", () => {
  const redirected =
    "ipv4     2 udp      17 29 src=10.0.0.5 dst=10.0.0.1 sport=40000 dport=53 packets=1 bytes=60 src=10.0.0.1 dst=10.0.0.5 sport=5302 dport=40000 packets=1 bytes=90 mark=16843010 use=1 id=7";
  const foreign =
    "ipv4     2 udp      17 29 src=10.0.0.5 dst=9.9.9.9 sport=40000 dport=53 packets=1 bytes=60 [UNREPLIED] src=9.9.9.9 dst=192.0.2.1 sport=53 dport=40000 packets=0 bytes=0 mark=16843010 use=1 id=8";
  expect(countedFlowsIn(`${redirected}\n${foreign}\n`).map(({ isDns, isRedirected }) => [isDns, isRedirected])).toEqual(
    [
      [true, true],
      [true, false],
    ],
  );
});

test("conntrack: a connection without counters and a summary line are left out", () =>
  expect(
    countedFlowsIn(
      "ipv4     2 udp      17 29 src=10.0.0.5 dst=9.9.9.9 sport=1 dport=2 src=9.9.9.9 dst=10.0.0.5 sport=2 dport=1 mark=0 use=1 id=8\nconntrack v1.4.7 (conntrack-tools): 1 flow entries have been shown.\n",
    ),
  ).toEqual([]));
