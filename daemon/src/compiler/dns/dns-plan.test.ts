import { expect, test } from "vitest";
import { intentWith, namesWith, network, numbersFor } from "../../../../testing/intent.ts";
import type { ClientDevice, ClientResources } from "./filter-policy.ts";
import { decide } from "../policy/decide.ts";
import { factsFor, type ObservedState } from "../input/facts.ts";
import type { ObservedAddress } from "./device-addresses.ts";
import { dnsPlanner } from "./dns-plan.ts";
import { neededIds } from "../egress/kernel-ids.ts";
import type { DnsResources } from "../input/read-dns.ts";
import { egressesOf } from "../egress/egresses.ts";

const tv: ClientDevice = {
  id: "tv",
  name: "TV",
  mac: "mac 1",
  ips: [],
  group_ids: [],
  privacy_class: "quiet",
  trust_class: null,
};
const clients: ClientResources = {
  device: [tv, { ...tv, id: "pc", name: "PC", mac: "mac 2", privacy_class: null }],
  device_group: [],
  privacy_class: [{ id: "quiet", log_level: "none" }],
  trust_class: [],
};
const home = { name: "home.lan", serial: 1, ttlSec: 300, records: [] };
const names = namesWith({ zones: [{ zone: home, isFilled: true }] });
const world: ObservedState = {
  links: [{ name: "lan0", up: true, addresses: ["10.0.0.1"], networks: ["10.0.0.0/24"] }],
};

/** A planner that is called repeatedly. */
function planner() {
  const plan = dnsPlanner();
  const intent = intentWith({ dns: names, network });
  const facts = factsFor(intent, world);
  const { ranked } = decide(intent, facts);
  const egresses = egressesOf(ranked, intent, facts);
  const kernelIds = numbersFor(neededIds(ranked, egresses, []));
  return (over: DnsResources & Partial<ClientResources>, neighbours: readonly ObservedAddress[]) => {
    const resources = { ...clients, ...over };
    return plan({ resources, neighbours, intent, facts, ranked, egresses, kernelIds, listBits: bitsOf(over) });
  };
}

const bitsOf = ({ dns_list = [] }: DnsResources) => new Map(dns_list.map(({ id }, bit) => [id, bit]));

const block = {
  dns_block_entry: [
    { id: "b", domain: "ads.test", source_type: "device", source_value: "tv", note: "" },
  ] as unknown as NonNullable<DnsResources["dns_block_entry"]>,
};

test("DNS plan: rules of a device apply to its current addresses", () => {
  const at = planner();
  expect(at(block, []).filterPolicy.clients).toEqual([]);
  expect(at(block, [{ mac: "mac 1", address: "10.0.0.7" }]).filterPolicy.clients).toEqual([
    { network: "10.0.0.7", layers: [0], lists: 0, log: "none" },
  ]);
  expect(at(block, [{ mac: "mac 2", address: "10.0.0.7" }]).filterPolicy.clients).toEqual([]);
});

test("DNS plan: a zone filled from devices has their addresses and reverse records, without link-local addresses", () => {
  const seen = [
    { mac: "mac 1", address: "10.0.0.7" },
    { mac: "mac 1", address: "fe80::7" },
  ];
  const { zones } = planner()({}, seen).programs;
  expect(zones.map((zone) => [zone.name, zone.records.map((it) => `${it.name} ${it.type} ${it.value}`)])).toEqual([
    ["home.lan", ["tv A 10.0.0.7"]],
    ["0.0.10.in-addr.arpa", ["7 PTR tv.home.lan."]],
  ]);
});

test("DNS plan: unknown neighbours do not change any part of the plan", () => {
  const at = planner();
  const seen = [{ mac: "mac 1", address: "10.0.0.7" }];
  const before = at(block, seen);
  const after = at(block, [...seen, { mac: "unknown", address: "10.0.0.99" }]);
  expect(after.filterPolicy).toBe(before.filterPolicy);
  expect(after.programs).toBe(before.programs);
  expect(after.devices).toBe(before.devices);
});

test("DNS plan: an unknown client has the strictest log level of all devices with a MAC", () => {
  expect(planner()({}, []).unknownClientLogLevel).toBe("none");
  expect(planner()({ device: [{ ...tv, mac: null, ips: ["10.0.0.7"] }] }, []).unknownClientLogLevel).toBe("full");
  expect(planner()({ privacy_class: [{ id: "quiet", log_level: "counts" }] }, []).unknownClientLogLevel).toBe("counts");
});

test("DNS plan: without a resolver it is empty", () => {
  const intent = intentWith({ network });
  const facts = factsFor(intent, world);
  const { ranked } = decide(intent, facts);
  const egresses = egressesOf(ranked, intent, facts);
  const kernelIds = numbersFor(neededIds(ranked, egresses, []));
  const input = { resources: clients, neighbours: [], intent, facts, ranked, egresses, kernelIds };
  const plan = dnsPlanner()({ ...input, listBits: new Map() });
  expect(plan).toMatchObject({ instances: [], lists: [], programs: { frontends: [], zones: [] } });
});
