import { expect, test } from "vitest";
import { carry } from "./links.ts";
import type { Facts } from "../input/facts.ts";
import { type Intent, type IntentProxy, type IntentTunnel, noCarriers } from "../input/intent.ts";

const tunnel: IntentTunnel = {
  id: "t",
  name: "far",
  enabled: true,
  interface: "wg0",
  mtu: 1420,
  weight: 1,
  resolvers: [],
  probeTargets: [],
  secret: "keys 1",
  config: {
    kind: "wireguard",
    addresses: ["10.0.0.2/32"],
    listenPort: null,
    peers: [{ publicKey: "P", endpoint: "far.example.net:51820", allowedIps: ["0.0.0.0/0"], keepaliveSec: 0 }],
  },
};
const listener: IntentProxy = {
  id: "l",
  name: "door",
  enabled: true,
  kind: "local",
  at: { host: "10.0.0.1", port: 1080 },
  tunnelId: "t",
  username: "lena",
  secret: "password 1",
};
const intent = (changed: Partial<Intent>): Intent => ({
  network: { lan: ["lan0"], wan: "wan0", uplinks: ["wan0"], defaultEgress: "block" },
  devices: [],
  groups: [],
  policies: [],
  exceptions: [],
  ...noCarriers,
  tunnels: [tunnel],
  ...changed,
});
const numbers = {
  plans: new Map<string, number>(),
  domains: new Map<string, number>(),
  redirectors: new Map([["u", 20_000]]),
  egresses: new Map([["wg0", 2]]),
};
const facts: Facts = {
  links: [],
  hops: [],
  addresses: { "far.example.net": "192.0.2.7" },
  secrets: { "keys 1": JSON.stringify({ private_key: "K" }), "password 1": "s" },
};

test("a WireGuard link whose server nobody has found yet is not made", () => {
  expect(carry(intent({}), facts, numbers).wireguard).toMatchObject([{ peers: [{ endpoint: "192.0.2.7:51820" }] }]);
  expect(carry(intent({}), { ...facts, addresses: {} }, numbers).wireguard).toEqual([]);
});

test("a WireGuard link whose peer comes by itself needs no name", () => {
  const { config } = tunnel;
  const peers = config.kind === "wireguard" ? config.peers.map((it) => ({ ...it, endpoint: null })) : [];
  const passive = { ...tunnel, config: { ...config, peers } } as IntentTunnel;
  expect(carry(intent({ tunnels: [passive] }), facts, numbers).wireguard).toHaveLength(1);
});

test("a proxy whose password cannot be opened is not made: it would let everybody in", () => {
  const upstream = { ...listener, id: "u", kind: "upstream", at: { host: "192.0.2.8", port: 1080 } } as const;
  const proxies = [listener, upstream];
  const credentials = { username: "lena", password: "s" };
  const own = { kind: "proxy", id: "u", before: null, policyId: "p" } as const;
  const led = { ...facts, hops: [{ type: "proxy", target: "u", interface: "proxy u", up: true, own }] };
  expect(carry(intent({ proxies }), led, numbers)).toMatchObject({
    dante: [{ credentials }],
    redsocks: [{ credentials }],
  });
  expect(carry(intent({ proxies }), { ...led, secrets: {} }, numbers)).toMatchObject({ dante: [], redsocks: [] });
  const open = [{ ...listener, username: null, secret: null }];
  expect(carry(intent({ proxies: open }), { ...facts, secrets: {} }, numbers).dante).toMatchObject([
    { credentials: null },
  ]);
});
