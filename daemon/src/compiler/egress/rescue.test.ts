import { expect, test } from "vitest";
import { renderGuard } from "../../engines/nftables/guard/guard.render.ts";
import type { Facts } from "../input/facts.ts";
import type { Intent } from "../input/intent.ts";
import { rescueOf } from "./rescue.ts";

const network = {
  lan: ["lan0", "lan1"],
  wan: "wan0",
  uplinks: ["wan0"],
  unused: ["wan1"],
  uplinkPorts: [8443, 22],
  managementPorts: [22, 8080],
  defaultEgress: "direct",
} as const;

const rescued = (...names: string[]) =>
  rescueOf(
    { network, tunnels: [{ interface: "wg-off" }] } as unknown as Intent,
    { links: names.map((name) => ({ name, up: true })), hops: [{ interface: "wg0" }] } as unknown as Facts,
  );

test("rescue: while the first LAN interface exists nothing more is accepted", () =>
  expect(rescued("lo", "lan0", "wan0", "other0")).toBeNull());

test("rescue: without it, private addresses reach the ports of administration by interfaces without a role, and by no other", () => {
  const rescue = rescued("lo", "lan1", "wan0", "wan1", "wg0", "wg-off", "other1", "other0");
  expect(rescue).toEqual({ interfaces: ["other0", "other1"], ports: [22, 8080, 8443] });
  const guard = {
    lan: ["lan0"],
    uplinks: ["wan0"],
    uplinkPorts: [],
    pairs: [],
    lanPairs: [],
    lanAddresses: [],
    innerHopServers: [],
    servers: [],
    inner: [],
  };
  const more = renderGuard({ ...guard, rescue: rescue! })
    .split("\n")
    .filter((line) => !renderGuard(guard).includes(line));
  expect(more.map((line) => line.trim())).toEqual([
    'iifname { "other0", "other1" } ip saddr { 10.0.0.0/8, 169.254.0.0/16, 172.16.0.0/12, 192.168.0.0/16 } tcp dport { 22, 8080, 8443 } accept',
    'iifname { "other0", "other1" } ip6 saddr { fc00::/7, fe80::/10 } tcp dport { 22, 8080, 8443 } accept',
  ]);
});

test("rescue: without such an interface there is no rule", () => expect(rescued("lo", "wan0")).toBeNull());
