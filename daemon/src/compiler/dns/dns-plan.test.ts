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

/** A house that is looked at again and again. */
function house() {
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

test("what is said of a device holds for the addresses it has now", () => {
  const at = house();
  expect(at(block, []).filterPolicy.clients).toEqual([]);
  expect(at(block, [{ mac: "mac 1", address: "10.0.0.7" }]).filterPolicy.clients).toEqual([
    { network: "10.0.0.7", layers: [0], lists: 0, log: "none" },
  ]);
  expect(at(block, [{ mac: "mac 2", address: "10.0.0.7" }]).filterPolicy.clients).toEqual([]);
});

test("a zone with devices in it knows where they are, and their addresses lead back; links' own addresses are in none", () => {
  const seen = [
    { mac: "mac 1", address: "10.0.0.7" },
    { mac: "mac 1", address: "fe80::7" },
  ];
  const { zones } = house()({}, seen).programs;
  expect(zones.map((zone) => [zone.name, zone.records.map((it) => `${it.name} ${it.type} ${it.value}`)])).toEqual([
    ["home.lan", ["tv A 10.0.0.7"]],
    ["0.0.10.in-addr.arpa", ["7 PTR tv.home.lan."]],
  ]);
});

test("nothing is another because strangers come and go", () => {
  const at = house();
  const seen = [{ mac: "mac 1", address: "10.0.0.7" }];
  const before = at(block, seen);
  const after = at(block, [...seen, { mac: "stranger", address: "10.0.0.99" }]);
  expect(after.filterPolicy).toBe(before.filterPolicy);
  expect(after.programs).toBe(before.programs);
  expect(after.devices).toBe(before.devices);
});

test("a newcomer is as private as the most private device that may come with any address", () => {
  expect(house()({}, []).unknownClientLogLevel).toBe("none");
  expect(house()({ device: [{ ...tv, mac: null, ips: ["10.0.0.7"] }] }, []).unknownClientLogLevel).toBe("full");
  expect(house()({ privacy_class: [{ id: "quiet", log_level: "counts" }] }, []).unknownClientLogLevel).toBe("counts");
});

test("who leads no names is asked for none", () => {
  const intent = intentWith({ network });
  const facts = factsFor(intent, world);
  const { ranked } = decide(intent, facts);
  const egresses = egressesOf(ranked, intent, facts);
  const kernelIds = numbersFor(neededIds(ranked, egresses, []));
  const input = { resources: clients, neighbours: [], intent, facts, ranked, egresses, kernelIds };
  const plan = dnsPlanner()({ ...input, listBits: new Map() });
  expect(plan).toMatchObject({ instances: [], lists: [], programs: { frontends: [], zones: [] } });
});
