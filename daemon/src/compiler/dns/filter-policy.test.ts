import type { PublishedDnsList } from "@portcullis/contract/subsystems/dns-lists";
import { expect, test } from "vitest";
import type { FilterPolicy } from "../../engines/dnsdist/filter-policy.model.ts";
import { evaluator } from "../../engines/dnsdist/verdict.model.ts";
import { type ClientResources, filterPolicyOf, listsWithBits, wantedLists } from "./filter-policy.ts";
import type { DnsResources } from "../input/read-dns.ts";

const clients: ClientResources = {
  device: [
    {
      id: "tv",
      name: "tv",
      ips: ["10.0.0.7", "fd00::7"],
      group_ids: ["kids", "all"],
      privacy_class: "quiet",
      trust_class: null,
    },
    { id: "nas", name: "nas", ips: ["10.0.0.8"], group_ids: [], privacy_class: null, trust_class: "own" },
    { id: "plain", name: "plain", ips: ["10.0.0.9"], group_ids: [], privacy_class: null, trust_class: null },
  ],
  device_group: [
    { id: "kids", name: "Kids" },
    { id: "all", name: "All screens" },
  ],
  privacy_class: [
    { id: "quiet", log_level: "none" },
    { id: "counted", log_level: "counts" },
  ],
  trust_class: [{ id: "own", default_privacy_class: "counted" }],
};
const everyone = { source_type: "everyone", source_value: "" } as const;
const rule = (id: string, about: object) =>
  ({
    id,
    enabled: true,
    action: "block",
    match: "suffix",
    pattern: "ads.test",
    name: id,
    note: "",
    ...everyone,
    ...about,
  }) as const;
const list = (id: string, about: object = {}) =>
  ({
    id,
    name: `List ${id}`,
    enabled: true,
    action: "block",
    format: "auto",
    url: `https://lists.test/${id}`,
    path: null,
    content_digest: null,
    refresh_hours: 24,
    category: "ads",
    ...everyone,
    ...about,
  }) as const;
/** As they come. */
const bitsOf = ({ dns_list = [] }: DnsResources) =>
  new Map(listsWithBits(dns_list).map((id, bit) => [id, bit] as const));
const written = (resources: DnsResources) =>
  filterPolicyOf(resources, clients, [], wantedLists(resources.dns_list ?? [], bitsOf(resources)), true);

test("filter policy: rules of the device come first, then of its groups, its class and subnets; those for everyone come last", () => {
  const resources = {
    dns_filter_rule: [
      rule("1", {}),
      rule("2", { source_type: "device", source_value: "tv" }),
      rule("3", { source_type: "device_group", source_value: "kids" }),
      rule("4", { source_type: "device_group", source_value: "all" }),
      rule("5", { source_type: "privacy_class", source_value: "quiet" }),
      rule("6", { source_type: "subnet", source_value: "10.0.0.0/8" }),
      rule("7", { source_type: "subnet", source_value: "10.0.0.0/24" }),
    ],
  };
  const { clients, layers, others } = written(resources);
  const causes = (numbers: readonly number[]) =>
    numbers.map((number) => layers.find((it) => it.number === number)!.rules[0]!.cause.at(-1)).join("");
  const of = (network: string) => causes(clients.find((it) => it.network === network)!.layers);
  expect(of("10.0.0.7")).toBe("2435761");
  expect(of("fd00::7")).toBe("24351");
  expect(of("10.0.0.8")).toBe("761");
  expect(of("10.0.0.0/24")).toBe("761");
  expect(of("10.0.0.0/8")).toBe("61");
  expect(causes(others.layers)).toBe("1");
});

test("filter policy: a device without rules and with log level full has no entry", () => {
  const { clients } = written({ dns_filter_rule: [rule("1", {})] });
  expect(clients.map(({ network, log }) => [network, log])).toEqual([
    ["10.0.0.7", "none"],
    ["fd00::7", "none"],
    ["10.0.0.8", "counts"],
  ]);
});

test("filter policy: a list is a bit of the clients it applies to", () => {
  const dns_list = [
    list("a"),
    list("off", { enabled: false }),
    list("b", { source_type: "device", source_value: "nas" }),
  ];
  const { clients, others, lists } = written({ dns_list });
  expect(lists).toEqual([
    { id: "a", name: "List a", bit: 0 },
    { id: "b", name: "List b", bit: 1 },
  ]);
  expect(others.lists).toBe(1);
  expect(clients.find(({ network }) => network === "10.0.0.8")?.lists).toBe(3);
});

test("filter policy: enabled rewrites, entries and rules become rules of the engine", () => {
  const resources: DnsResources = {
    dns_filter_rule: [rule("1", { match: "regex", pattern: "^ad\\d" }), rule("2", { enabled: false })],
    dns_allow_entry: [{ id: "3", domain: "Good.Test.", note: "", ...everyone }],
    dns_block_entry: [{ id: "4", domain: "*.bad.test", note: "", ...everyone }],
    dns_rewrite: [
      { id: "5", enabled: true, domain: "nas.test", match: "exact", answer: "A", value: "10.0.0.8", ...everyone },
      { id: "6", enabled: true, domain: "gone.test", match: "suffix", answer: "NXDOMAIN", value: "", ...everyone },
      {
        id: "7",
        enabled: true,
        domain: "alias.test",
        match: "exact",
        answer: "CNAME",
        value: "Nas.test.",
        ...everyone,
      },
    ],
  };
  expect(written(resources).layers).toEqual([
    {
      number: 0,
      rules: [
        { cause: "dns_filter_rule 1", match: { kind: "regex", pattern: "^ad\\d" }, action: { kind: "block" } },
        { cause: "dns_allow_entry 3", match: { kind: "suffix", name: "good.test" }, action: { kind: "allow" } },
        { cause: "dns_block_entry 4", match: { kind: "suffix", name: "bad.test" }, action: { kind: "block" } },
        {
          cause: "dns_rewrite 5",
          match: { kind: "exact", name: "nas.test" },
          action: { kind: "rewrite", v4: ["10.0.0.8"], v6: [], cname: null },
        },
        { cause: "dns_rewrite 6", match: { kind: "suffix", name: "gone.test" }, action: { kind: "block" } },
        {
          cause: "dns_rewrite 7",
          match: { kind: "exact", name: "alias.test" },
          action: { kind: "rewrite", v4: [], v6: [], cname: "nas.test" },
        },
      ],
    },
  ]);
});

test("filter policy: a list keeps its bit when another is removed", () => {
  const list = (id: string) => ({ id, enabled: true, url: `https://lists.test/${id}` }) as PublishedDnsList;
  const bits = new Map([
    ["a", 0],
    ["b", 1],
  ]);
  expect(wantedLists([list("a"), list("b"), list("unknown")], bits).map(({ bit }) => bit)).toEqual([0, 1]);
  expect(wantedLists([list("b")], bits).map(({ bit }) => bit)).toEqual([1]);
});

test("filter policy: block_doh blocks names of other resolvers before all other rules", () => {
  const resources = { dns_allow_entry: [{ id: "a1", domain: "dns.google", note: "", ...everyone }] };
  const policy = (over: object, isFiltering = true, excepted: readonly string[] = []) =>
    filterPolicyOf(resources, { ...clients, ...over }, [], [], isFiltering, [], excepted);
  const verdicts = (it: FilterPolicy) => {
    const evaluate = evaluator(it, () => undefined);
    return ["10.0.0.7", "10.0.0.9", "10.0.0.77"].map((address) => {
      const verdict = evaluate(address, "dns.google");
      return "by" in verdict && verdict.by.kind === "rule" ? verdict.by.cause : verdict.kind;
    });
  };
  const tv = { device: clients.device.map((it) => (it.id === "tv" ? { ...it, block_doh: true } : it)) };
  const [hidden, entry] = ["privacy_control block_doh", "dns_allow_entry a1"];
  expect(verdicts(policy({}))).toEqual([entry, entry, entry]);
  expect(verdicts(policy(tv))).toEqual([hidden, entry, entry]);
  expect(verdicts(policy(tv, true, ["tv"]))).toEqual([entry, entry, entry]);
  expect(verdicts(policy(tv, false))).toEqual([hidden, "none", "none"]);
  const system = { privacy: [{ id: "privacy", block_doh: true }] };
  expect(verdicts(policy(system))).toEqual([entry, hidden, hidden]); // The television has a class, which says nothing of it.
  expect(verdicts(policy({ ...system, device: clients.device.map((it) => ({ ...it, block_doh: false })) }))).toEqual([
    entry,
    entry,
    hidden,
  ]);
  expect(evaluator(policy(tv), () => undefined)("10.0.0.7", "_dns.resolver.arpa").kind).toBe("block");
  expect(evaluator(policy(tv), () => undefined)("10.0.0.7", "www.google").kind).toBe("none");
});

test("filter policy: block_ipv6 marks the clients that get no IPv6 addresses", () => {
  const device = clients.device.map((it) => (it.id === "plain" ? { ...it, block_ipv6: true } : it));
  const policy = filterPolicyOf({}, { ...clients, device }, [], [], true);
  expect(policy.clients.filter(({ isWithoutV6 }) => isWithoutV6).map(({ network }) => network)).toEqual(["10.0.0.9"]);
  const all = filterPolicyOf({}, { ...clients, privacy: [{ id: "privacy", block_ipv6: true }] }, [], [], true);
  expect([all.others.isWithoutV6, all.clients.some(({ isWithoutV6 }) => isWithoutV6)]).toEqual([true, false]);
});

const portal = {
  id: "e1",
  deviceId: "plain",
  answers: [{ name: "Gate.Hotel.test.", addresses: ["192.0.2.7", "2001:db8::7"] }],
};
const gate = {
  cause: "exception e1",
  match: { kind: "exact", name: "gate.hotel.test" },
  action: { kind: "rewrite", v4: ["192.0.2.7"], v6: ["2001:db8::7"], cname: null },
};

test("filter policy: answers of an exception apply to its device only", () => {
  const {
    layers,
    clients: entries,
    others,
  } = filterPolicyOf({ dns_filter_rule: [rule("r1", {})] }, clients, [], [], true, [portal]);
  const [own] = layers.filter(({ rules }) => rules.some(({ cause }) => cause === "exception e1"));
  expect(own!.rules).toEqual([gate]);
  expect(entries.filter((it) => it.layers.includes(own!.number)).map(({ network }) => network)).toEqual(["10.0.0.9"]);
  expect(others.layers).not.toContain(own!.number);
});

test("filter policy: answers of an exception apply without filtering, and no other rule does", () => {
  const resources = { dns_filter_rule: [rule("r1", {})], dns_list: [list("l1")] };
  const { isFiltering, layers, lists, others } = filterPolicyOf(resources, clients, [], [], false, [portal]);
  expect({ isFiltering, rules: layers.flatMap(({ rules }) => rules), lists, others }).toEqual({
    isFiltering: true,
    rules: [gate],
    lists: [],
    others: { layers: [], lists: 0, log: "full" },
  });
  expect(filterPolicyOf(resources, clients, [], [], false).isFiltering).toBe(false);
});
