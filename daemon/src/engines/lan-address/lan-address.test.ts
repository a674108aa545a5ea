import { expect, test } from "vitest";
import { lanAddressChanges } from "./lan-address.diff.ts";
import { lanAddressEngine } from "./lan-address.engine.ts";
import type { AddedAddress, LanAddresses } from "./lan-address.model.ts";
import { parseAdded, parseAddressed } from "./lan-address.parse.ts";

const wanted = { interface: "enp2s0", address: "192.168.50.1/24" };
const added: AddedAddress = { ...wanted, wasDown: true };
const seen = (up: boolean, addresses: readonly string[], ours: readonly AddedAddress[] = []): LanAddresses => ({
  links: [{ name: "enp2s0", up, addresses }],
  ours,
});

test("LAN address: a missing one is added, and the interface is set up first", () => {
  expect(lanAddressChanges([wanted], seen(false, []))).toEqual([
    { kind: "add", added, lines: ["link set dev enp2s0 up", "address add 192.168.50.1/24 brd + dev enp2s0"] },
  ]);
  expect(lanAddressChanges([wanted], seen(true, ["192.168.50.1/24"]))).toEqual([]);
});

test("LAN address: an interface that does not exist gets none until it appears", () =>
  expect(lanAddressChanges([wanted], { links: [], ours: [] })).toEqual([]));

test("LAN address: it is removed with its interface as it was, and only if the gateway has added it", () => {
  expect(lanAddressChanges([], seen(true, ["192.168.50.1/24"], [added]))).toEqual([
    { kind: "remove", added, lines: ["address del 192.168.50.1/24 dev enp2s0", "link set dev enp2s0 down"] },
  ]);
  expect(lanAddressChanges([], seen(true, ["192.168.50.1/24"]))).toEqual([]);
  expect(lanAddressChanges([], seen(true, [], [added]))).toEqual([{ kind: "forget", added, lines: [] }]);
});

test("LAN address: an address that was lost while the interface was up stays one of a formerly down interface", () =>
  expect(lanAddressChanges([wanted], seen(true, [], [added]))).toEqual([
    { kind: "add", added, lines: ["address add 192.168.50.1/24 brd + dev enp2s0"] },
  ]));

test("LAN address: IPv4 addresses of every interface are read; a damaged record has none", () => {
  const addresses = [
    { family: "inet", local: "192.168.50.1", prefixlen: 24 },
    { family: "inet6", local: "fe80::1", prefixlen: 64 },
  ];
  expect(parseAddressed(JSON.stringify([{ ifname: "eth0", flags: ["UP"], addr_info: addresses }, {}]))).toEqual([
    { name: "eth0", up: true, addresses: ["192.168.50.1/24"] },
  ]);
  expect([parseAddressed(""), parseAdded("no JSON"), parseAdded("[{}]"), parseAdded(undefined)]).toEqual([
    [],
    [],
    [],
    [],
  ]);
  expect(parseAdded(JSON.stringify([added]))).toEqual([added]);
});

test("LAN address: it is recorded before it is added, and forgotten after it was removed", async () => {
  const files = new Map<string, string>();
  const log: string[] = [];
  const engine = lanAddressEngine({
    folder: "/run",
    system: {
      run: async (_, __, { stdin = "" } = {}) => {
        log.push(stdin === "" ? "read" : `${stdin.split("\n")[0]} with ${files.get("/run/lan-addresses.json")}`);
        return "[]";
      },
      readText: (path) => files.get(path),
      writeAtomically: (path, text) => void files.set(path, text),
      makeFolder: () => {},
    },
  });
  const record = JSON.stringify([added]);
  await engine.apply(lanAddressChanges([wanted], seen(false, [])));
  expect((await engine.observe()).ours).toEqual([added]);
  await engine.apply(lanAddressChanges([], seen(true, ["192.168.50.1/24"], [added])));
  expect((await engine.observe()).ours).toEqual([]);
  expect(log).toEqual([
    `link set dev enp2s0 up with ${record}`,
    "read",
    `address del 192.168.50.1/24 dev enp2s0 with ${record}`,
    "read",
  ]);
});
