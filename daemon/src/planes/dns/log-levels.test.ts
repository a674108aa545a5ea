import { expect, test } from "vitest";
import { type Levelled, logLevels } from "./log-levels.ts";

const client = (network: string, log: "full" | "counts" | "none") => ({ network, log, layers: [], lists: 0 });
const others = { log: "full", layers: [], lists: 0 } as const;
const device = (id: string, ...ips: string[]) => ({
  id,
  name: id,
  mac: null,
  ips,
  group_ids: [],
  privacy_class: null,
  trust_class: null,
});

const compiledWith = (unknownClientLogLevel: "full" | "counts" | "none") =>
  ({
    dns: {
      unknownClientLogLevel,
      devices: [device("quiet", "10.0.0.7"), device("open", "10.0.0.8")],
      filterPolicy: {
        isFiltering: true,
        clients: [client("10.0.0.7", "none")],
        others,
        layers: [],
        lists: [],
        routes: [],
      },
      instances: [],
      lists: [],
      programs: { frontends: [], validators: [], forwarders: [], zones: [] },
    },
    neighbours: [{ mac: "02:00:00:00:00:09", address: "10.0.0.9" }],
    facts: {
      links: [
        { name: "lan0", up: true, addresses: ["10.0.0.1"], networks: ["10.0.0.0/24", "fd00::/64"] },
        { name: "wan0", up: true, addresses: ["192.0.2.2"], networks: ["192.0.2.0/24"] },
      ],
    },
    intent: { network: { lan: ["lan0"] } },
  }) satisfies Levelled;

test.each([
  ["a device's own level", "10.0.0.7", "none"],
  ["a device without one", "10.0.0.8", "full"],
  ["a neighbour that is no device", "10.0.0.9", "full"],
  ["an address that is not in the neighbour table yet", "10.0.0.10", "counts"],
  ["the same by IPv6", "fd00::10", "counts"],
  ["and by an address of the link", "fe80::10", "counts"],
  ["the gateway itself", "10.0.0.1", "full"],
  ["its own programs", "127.0.0.1", "full"],
  ["a client behind another router", "172.16.0.5", "full"],
])("log levels: a new query of %s", (_, address, level) => {
  expect(logLevels(() => compiledWith("counts")).cautious(address)).toBe(level);
});

test("log levels: an unknown client has the strictest level of all devices", () => {
  expect(logLevels(() => compiledWith("none")).cautious("10.0.0.10")).toBe("none");
  expect(logLevels(() => compiledWith("full")).cautious("10.0.0.10")).toBe("full");
});

test("log levels: rows of a device that is absent now stay", () => {
  const { known } = logLevels(() => compiledWith("none"));
  expect(["10.0.0.10", "10.0.0.7"].map(known)).toEqual(["full", "none"]);
});

test("log levels: before the first compilation nothing is logged, and nothing removed", () => {
  const { known, cautious } = logLevels(() => undefined);
  expect([known("10.0.0.8"), cautious("10.0.0.8")]).toEqual(["full", "none"]);
});
