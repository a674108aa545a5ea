import { expect, test } from "vitest";
import { quickProbes, readPing, regularProbes, unwrapped } from "./ping.ts";

/** Output of iputils 20221126. */
const output = `
PING 10.9.0.2 (10.9.0.2) from 10.9.0.1 va: 8(36) bytes of data.
16 bytes from 10.9.0.2: icmp_seq=1 ttl=64
[1794730956.790583] 16 bytes from fd09::2: icmp_seq=2 ttl=64
16 bytes from fe80::1%wan0: icmp_seq=3 ttl=64
16 bytes from 10.9.0.2: icmp_seq=4 ttl=64 (DUP!)
no answer yet for icmp_seq=5
[1794730960.822503] no answer yet for icmp_seq=65535
From 10.9.0.1 icmp_seq=6 Destination Host Unreachable
ping: sendmsg: Network is unreachable
--- 10.9.0.2 ping statistics ---
15 packets transmitted, 15 received, 0% packet loss, time 613ms
`;

test("ping: lines are parsed as replies, misses, or ignored", () => {
  expect(output.split("\n").flatMap((line) => readPing(line) ?? [])).toEqual([
    { kind: "reply", sequence: 1 },
    { kind: "reply", sequence: 2 },
    { kind: "reply", sequence: 3 },
    { kind: "missed", sequence: 5 },
    { kind: "missed", sequence: 65_535 },
  ]);
});

test("ping: the arguments bind it to interface and mark", () => {
  const target = { device: "wg0", mark: 0x8000_0011, target: "192.0.2.1" };
  expect(regularProbes(target, 500).join(" ")).toBe("-n -O -i 0.5 -s 8 -I wg0 -m 2147483665 -- 192.0.2.1");
  expect(quickProbes({ ...target, mark: 0 }, 700).join(" ")).toBe("-n -q -c 1 -w 1 -i 0.01 -s 8 -I wg0 -- 192.0.2.1");
});

test("ping: sequence numbers continue after the wrap", () => {
  expect(
    [65_534, 65_535, 0, 1, 65_535, 2].reduce<number[]>((all, it) => [...all, unwrapped(all.at(-1) ?? 65_533, it)], []),
  ).toEqual([65_534, 65_535, 65_536, 65_537, 65_535, 65_538]);
});
