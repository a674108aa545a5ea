import { because } from "@portcullis/contract/reason";
import { expect, test } from "vitest";
import type { Facts } from "../input/facts.ts";
import { type Intent, noLinks } from "../input/intent.ts";
import { reservedNetworks } from "./reserved-networks.ts";

const intent: Intent = {
  ...noLinks,
  network: { lan: ["lan0"], wan: "wan0", uplinks: ["wan0"], resolvers: ["9.9.9.9"], defaultEgress: "block" },
  devices: [],
  groups: [],
  policies: [],
  exceptions: [],
};
const facts: Facts = {
  hops: [],
  links: [
    { name: "lan0", up: true, networks: ["10.77.0.0/24"] },
    { name: "wan0", up: true, networks: ["198.51.100.0/24", "0.0.0.0/0"], gateways: { v4: "198.51.100.1" } },
    { name: "docker0", up: true, networks: ["172.17.0.0/16"] },
  ],
};

test("reserved networks: LANs, uplinks, resolvers and servers are reserved; a default route is not", () => {
  expect(reservedNetworks(intent, facts, [{ address: "192.0.2.7" }])).toEqual([
    { network: "10.77.0.0/24", owner: because("owner_network", { interface: "lan0" }) },
    { network: "198.51.100.0/24", owner: because("owner_network", { interface: "wan0" }) },
    { network: "198.51.100.1", owner: because("owner_gateway", { interface: "wan0" }) },
    { network: "9.9.9.9", owner: because("owner_resolver") },
    { network: "192.0.2.7", owner: because("owner_server") },
  ]);
});
