import { expect, test } from "vitest";
import { policyAt, verdictOf } from "../../engines/dnsdist/verdict.model.ts";
import type { IntentPause } from "../input/intent.ts";
import { type ClientResources, filterPolicyOf } from "./filter-policy.ts";
import type { DnsResources } from "../input/read-dns.ts";

const device = (id: string, last: number, group_ids: string[] = [], more: object = {}) => ({
  id,
  name: id,
  ips: [`10.0.0.${last}`],
  group_ids,
  privacy_class: null,
  trust_class: null,
  ...more,
});
const clients: ClientResources = {
  device: [device("tv", 7, ["kids"]), device("nas", 8), device("safe", 9, [], { block_doh: true })],
  device_group: [{ id: "kids", name: "Kids" }],
  privacy_class: [],
  trust_class: [],
};
const everyone = { source_type: "everyone", source_value: "" } as const;
const rule = (id: string, pattern: string, more: object = {}) =>
  ({ id, enabled: true, action: "block", match: "suffix", pattern, name: id, note: "", ...everyone, ...more }) as const;
const resources: DnsResources = {
  dns_filter_rule: [
    rule("1", "ads.test"),
    rule("2", "games.test", { source_type: "device", source_value: "tv" }),
    rule("3", "good.ads.test", { action: "allow" }),
  ],
  dns_rewrite: [
    {
      id: "4",
      domain: "nas.home",
      match: "exact",
      answer: "A",
      value: "10.0.0.8",
      enabled: true,
      ...everyone,
    },
  ],
};
const pause = (over: Partial<IntentPause>): IntentPause => ({
  id: "p",
  type: "filtering",
  sourceType: "everyone",
  sourceValue: "",
  domain: null,
  deviceIds: [],
  untilSec: 100,
  ...over,
});
const address = { tv: "10.0.0.7", nas: "10.0.0.8", safe: "10.0.0.9", guest: "10.0.0.200" } as const;
const verdict = (
  pauses: readonly IntentPause[],
  who: keyof typeof address,
  name: string,
  sec = 0,
  isFiltering = true,
) =>
  verdictOf(
    policyAt(filterPolicyOf(resources, clients, [], [], isFiltering, [], [], pauses), sec),
    () => undefined,
    address[who],
    name,
  ).kind;

test("filtering that is paused for everyone blocks nothing for any client until its end, and rewrites stay", () => {
  const pauses = [pause({})];
  for (const who of ["tv", "nas", "guest"] as const)
    expect([who, verdict(pauses, who, "x.ads.test", 99), verdict(pauses, who, "x.ads.test", 100)]).toEqual([
      who,
      "none",
      "block",
    ]);
  expect(verdict(pauses, "tv", "games.test", 99)).toBe("none");
  expect(verdict(pauses, "guest", "nas.home", 99)).toBe("rewrite");
});

test("filtering that is paused for a device or a group stays in force for the others", () => {
  const forGroup = [pause({ sourceType: "device_group", sourceValue: "kids" })];
  expect([verdict(forGroup, "tv", "ads.test"), verdict(forGroup, "nas", "ads.test")]).toEqual(["none", "block"]);
  const forDevice = [pause({ sourceType: "device", sourceValue: "nas" })];
  expect([verdict(forDevice, "tv", "ads.test"), verdict(forDevice, "nas", "ads.test")]).toEqual(["block", "none"]);
  expect(verdict(forDevice, "guest", "ads.test")).toBe("block");
});

test("of several pauses each ends at its own time", () => {
  const pauses = [
    pause({ id: "long", untilSec: 200 }),
    pause({ id: "short", type: "block-domain", domain: "news.test", sourceType: "device", sourceValue: "tv" }),
  ];
  const at = (sec: number) => [verdict(pauses, "tv", "ads.test", sec), verdict(pauses, "tv", "a.news.test", sec)];
  expect([at(99), at(100), at(199), at(200)]).toEqual([
    ["none", "block"],
    ["none", "none"],
    ["none", "none"],
    ["block", "none"],
  ]);
});

test("of paused domains the most specific client decides, then the name nearest to the queried one", () => {
  const domains = [
    pause({ id: "a", type: "block-domain", domain: "x.test" }),
    pause({ id: "b", type: "allow-domain", domain: "y.x.test" }),
    pause({ id: "c", type: "block-domain", domain: "x.test", sourceType: "device", sourceValue: "tv" }),
  ];
  expect([verdict(domains, "nas", "x.test"), verdict(domains, "nas", "a.y.x.test")]).toEqual(["block", "allow"]);
  expect(verdict(domains, "tv", "a.y.x.test")).toBe("block");
  const allowed = [
    pause({ type: "allow-domain", domain: "games.test", sourceType: "device_group", sourceValue: "kids" }),
  ];
  expect([verdict(allowed, "tv", "games.test", 99), verdict(allowed, "tv", "games.test", 100)]).toEqual([
    "allow",
    "block",
  ]);
});

test("a pause of filtering leaves privacy controls in force; a pause of protection lifts those of its devices until its end", () => {
  const name = "dns.google";
  expect([verdict([], "safe", name), verdict([pause({})], "safe", name)]).toEqual(["block", "block"]);
  const protection = [pause({ type: "protection", deviceIds: ["safe"] })];
  expect([verdict(protection, "safe", name, 99), verdict(protection, "safe", name, 100)]).toEqual(["none", "block"]);
  expect(verdict(protection, "safe", "ads.test", 99)).toBe("block");
});

test("while filtering is off, a paused domain has no effect", () =>
  expect(verdict([pause({ type: "block-domain", domain: "x.test" })], "safe", "x.test", 0, false)).toBe("none"));

test("queries of a client whose filtering is paused go past the external filter", () => {
  const { others, clients: known } = filterPolicyOf(
    resources,
    clients,
    [],
    [],
    true,
    [],
    [],
    [pause({ sourceType: "device", sourceValue: "nas" })],
  );
  const nas = known.find(({ network }) => network === address.nas);
  expect(nas?.phases).toMatchObject([{ untilSec: 100, skipsExternalFilter: true }]);
  expect(others.phases).toBeUndefined();
});
