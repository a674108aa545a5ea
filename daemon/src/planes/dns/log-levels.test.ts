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

const house = (unknownClientLogLevel: "full" | "counts" | "none") =>
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
  ["a neighbour nobody has heard of yet", "10.0.0.10", "counts"],
  ["the same by IPv6", "fd00::10", "counts"],
  ["and by an address of the link", "fe80::10", "counts"],
  ["the gateway itself", "10.0.0.1", "full"],
  ["its own programs", "127.0.0.1", "full"],
  ["somebody behind another router", "172.16.0.5", "full"],
])("what is asked now: %s", (_, address, level) => {
  expect(logLevels(() => house("counts")).cautious(address)).toBe(level);
});

test("the newcomer is as private as the most private device, and as open where all are", () => {
  expect(logLevels(() => house("none")).cautious("10.0.0.10")).toBe("none");
  expect(logLevels(() => house("full")).cautious("10.0.0.10")).toBe("full");
});

test("what was written down of somebody who is not here now stays", () => {
  const { known } = logLevels(() => house("none"));
  expect(["10.0.0.10", "10.0.0.7"].map(known)).toEqual(["full", "none"]);
});

test("before anything is compiled nothing is written down, and nothing taken away", () => {
  const { known, cautious } = logLevels(() => undefined);
  expect([known("10.0.0.8"), cautious("10.0.0.8")]).toEqual(["full", "none"]);
});
