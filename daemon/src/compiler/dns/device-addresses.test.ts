import { expect, test } from "vitest";
import { withObservedAddresses } from "./device-addresses.ts";

const device = (id: string, mac: string | null, ...ips: string[]) => ({
  id,
  name: id,
  mac,
  ips,
  group_ids: [],
  privacy_class: null,
  trust_class: null,
});
const addresses = (...args: Parameters<typeof withObservedAddresses>) =>
  Object.fromEntries(withObservedAddresses(...args).map(({ id, ips }) => [id, ips]));

test("device addresses: configured ones and those of the neighbour table, IPv4 first, in any order of the table", () => {
  const devices = [device("tv", "mac 1", "10.0.0.7"), device("phone", "mac 2")];
  const seen = [
    { mac: "mac 2", address: "fd00::2" },
    { mac: "mac 2", address: "10.0.0.20" },
    { mac: "mac 1", address: "10.0.0.7" },
    { mac: "mac 1", address: "fe80::1" },
  ];
  const expected = { tv: ["10.0.0.7", "fe80::1"], phone: ["10.0.0.20", "fd00::2"] };
  expect(addresses(devices, seen)).toEqual(expected);
  expect(addresses(devices, seen.toReversed())).toEqual(expected);
});

test("device addresses: the neighbour table overrides a configured address", () => {
  const devices = [device("tv", "mac 1", "10.0.0.7"), device("phone", "mac 2"), device("printer", null, "10.0.0.9")];
  const seen = [
    { mac: "mac 2", address: "10.0.0.7" },
    { mac: "mac 1", address: "10.0.0.9" },
  ];
  expect(addresses(devices, seen)).toEqual({ tv: ["10.0.0.9"], phone: ["10.0.0.7"], printer: [] });
});

test("device addresses: an unknown neighbour does not take a device's configured address", () => {
  expect(addresses([device("tv", "mac 1", "10.0.0.7")], [{ mac: "mac 9", address: "10.0.0.7" }])).toEqual({
    tv: ["10.0.0.7"],
  });
});

test("device addresses: a stored address is normalized before it is compared", () => {
  const devices = [device("tablet", null, "FD00:0::2", "10.0.0.7"), device("tv", "mac 1")];
  expect(addresses(devices, [])).toEqual({ tablet: ["fd00::2", "10.0.0.7"], tv: [] });
  expect(addresses(devices, [{ mac: "mac 1", address: "fd00::2" }])).toEqual({ tablet: ["10.0.0.7"], tv: ["fd00::2"] });
});
