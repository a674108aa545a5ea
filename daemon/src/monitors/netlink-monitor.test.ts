import { expect, test } from "vitest";
import type { System } from "../system/system.ts";
import { openNetlinkMonitor } from "./netlink-monitor.ts";
import { observedLinksIn } from "./observed-links.ts";

const isTemporary = (link: string) => link === "probe0";

test("netlink monitor: events of a temporary link are ignored, those of its addresses and routes are not", () => {
  const lines: ((line: string) => void)[] = [];
  const system = {
    follow: (_: string, __: unknown, onLine: (line: string) => void) => {
      lines.push(onLine);
      return { stop: () => {} };
    },
  } as unknown as System;
  const commits = { isForeignChange: () => false, invalidate: () => {}, quickCheck: () => {} };
  const monitor = openNetlinkMonitor(system, commits, isTemporary);
  const listening = monitor.listen(() => {});
  const isReported = (line: string): boolean => {
    const before = monitor.changes();
    lines[0]!(line);
    return monitor.changes() > before;
  };
  expect(isReported("3: probe0@probe1: <BROADCAST,UP> mtu 1500")).toBe(false);
  expect(isReported("3: probe0: <BROADCAST,UP> mtu 1500")).toBe(false);
  expect(isReported("4: probe00@eth0: <BROADCAST,UP> mtu 1500")).toBe(true);
  expect(isReported("3: probe0    inet 192.0.2.4/24 scope global probe0")).toBe(true);
  expect(isReported("default dev probe0 scope link")).toBe(true);
  listening.stop();
});

test("observed links: temporary links are left out", () => {
  const link = (ifname: string) => ({ ifname, operstate: "UP", mtu: 1500, flags: ["UP"] });
  const nothing = { addresses: "[]", routes: "[]", rules: "[]" };
  const links = JSON.stringify([link("lan0"), link("probe0"), link("wan0")]);
  const listing = { links, withoutIpv6: ["wan0"], v4: nothing, v6: nothing };
  expect(observedLinksIn(listing, isTemporary).map(({ name, ipv6 }) => [name, ipv6])).toEqual([
    ["lan0", true],
    ["wan0", false],
  ]);
});
