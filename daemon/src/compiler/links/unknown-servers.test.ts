import { expect, test } from "vitest";
import { compileLinks } from "./links.ts";
import type { Facts } from "../input/facts.ts";
import { type Intent, type IntentProxy, type IntentTunnel, noLinks } from "../input/intent.ts";

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
  name: "listener",
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
  ...noLinks,
  tunnels: [tunnel],
  ...changed,
});
const kernelIds = {
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

test("links: a WireGuard tunnel whose server is not resolved yet is left out", () => {
  expect(compileLinks(intent({}), facts, kernelIds).wireguard).toMatchObject([
    { peers: [{ endpoint: "192.0.2.7:51820" }] },
  ]);
  expect(compileLinks(intent({}), { ...facts, addresses: {} }, kernelIds).wireguard).toEqual([]);
});

test("links: a WireGuard tunnel without an endpoint needs no hostname", () => {
  const { config } = tunnel;
  const peers = config.kind === "wireguard" ? config.peers.map((it) => ({ ...it, endpoint: null })) : [];
  const passive = { ...tunnel, config: { ...config, peers } } as IntentTunnel;
  expect(compileLinks(intent({ tunnels: [passive] }), facts, kernelIds).wireguard).toHaveLength(1);
});

test("links: a proxy whose password cannot be decrypted is left out: it would accept any client", () => {
  const upstream = { ...listener, id: "u", kind: "upstream", at: { host: "192.0.2.8", port: 1080 } } as const;
  const proxies = [listener, upstream];
  const credentials = { username: "lena", password: "s" };
  const own = { kind: "proxy", id: "u", outerHop: null, policyId: "p" } as const;
  const led = { ...facts, hops: [{ type: "proxy", target: "u", interface: "proxy u", up: true, own }] };
  expect(compileLinks(intent({ proxies }), led, kernelIds)).toMatchObject({
    socksListener: [{ credentials }],
    redsocks: [{ credentials }],
  });
  expect(compileLinks(intent({ proxies }), { ...led, secrets: {} }, kernelIds)).toMatchObject({
    socksListener: [],
    redsocks: [],
  });
  const open = [{ ...listener, username: null, secret: null }];
  expect(compileLinks(intent({ proxies: open }), { ...facts, secrets: {} }, kernelIds).socksListener).toMatchObject([
    { credentials: null },
  ]);
});
