import { expect, test } from "vitest";
import type { System } from "../system/system.ts";
import { openNetlinkMonitor } from "./netlink-monitor.ts";
import { observedLinksIn } from "./observed-links.ts";

const isPassing = (link: string) => link === "probe0";

test("a link that is passing is not heard of; what is done by it is", () => {
  const lines: ((line: string) => void)[] = [];
  const system = {
    follow: (_: string, __: unknown, onLine: (line: string) => void) => {
      lines.push(onLine);
      return { stop: () => {} };
    },
  } as unknown as System;
  const commits = { isForeignChange: () => false, invalidate: () => {}, quickCheck: () => {} };
  const ears = openNetlinkMonitor(system, commits, isPassing);
  const listening = ears.listen(() => {});
  const heard = (line: string): boolean => {
    const before = ears.changes();
    lines[0]!(line);
    return ears.changes() > before;
  };
  expect(heard("3: probe0@probe1: <BROADCAST,UP> mtu 1500")).toBe(false);
  expect(heard("3: probe0: <BROADCAST,UP> mtu 1500")).toBe(false);
  expect(heard("4: probe00@eth0: <BROADCAST,UP> mtu 1500")).toBe(true);
  expect(heard("3: probe0    inet 192.0.2.4/24 scope global probe0")).toBe(true);
  expect(heard("default dev probe0 scope link")).toBe(true);
  listening.stop();
});

test("a link that is passing does not stand among the others", () => {
  const link = (ifname: string) => ({ ifname, operstate: "UP", mtu: 1500, flags: ["UP"] });
  const nothing = { addresses: "[]", routes: "[]", rules: "[]" };
  const links = JSON.stringify([link("lan0"), link("probe0"), link("wan0")]);
  const listing = { links, withoutIpv6: ["wan0"], v4: nothing, v6: nothing };
  expect(observedLinksIn(listing, isPassing).map(({ name, ipv6 }) => [name, ipv6])).toEqual([
    ["lan0", true],
    ["wan0", false],
  ]);
});
