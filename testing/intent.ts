import { because } from "@portcullis/contract/reason";
import type { Facts } from "../daemon/src/compiler/input/facts.ts";
import {
  type Intent,
  type IntentForwarder,
  type IntentDns,
  type IntentPolicy,
  type IntentProxy,
  type IntentTunnel,
  type Network,
  noLinks,
} from "../daemon/src/compiler/input/intent.ts";
import { allocateIds, type KernelIds, type NeededIds, type Take } from "../daemon/src/compiler/egress/kernel-ids.ts";

/** Parts of an intent for tests of the compiler. Each is complete; `over` replaces fields. */
export const network: Network = { lan: ["lan0"], wan: "wan0", uplinks: ["wan0"], defaultEgress: "direct" };

export const policy = (id: string, over: Partial<IntentPolicy> = {}): IntentPolicy => ({
  id,
  priority: 10,
  sourceType: "all",
  sourceValue: "",
  hops: [],
  failPolicy: "fail-closed",
  splitting: false,
  ...over,
});

export const tunnel = (name: string, over: Partial<IntentTunnel> = {}): IntentTunnel => ({
  id: `id of ${name}`,
  name,
  enabled: true,
  interface: `wg-${name}`,
  mtu: null,
  weight: 1,
  resolvers: [],
  probeTargets: [],
  secret: `keys of ${name} 1`,
  config: {
    kind: "wireguard",
    addresses: ["10.9.0.2/32"],
    listenPort: null,
    peers: [{ publicKey: `key of ${name}`, endpoint: "192.0.2.1:51820", allowedIps: ["0.0.0.0/0"], keepaliveSec: 25 }],
  },
  ...over,
});

export const proxy = (name: string, over: Partial<IntentProxy> = {}): IntentProxy => ({
  id: `id of ${name}`,
  name,
  enabled: true,
  kind: "upstream",
  at: { host: "192.0.2.80", port: 1080 },
  tunnelId: null,
  username: null,
  secret: null,
  ...over,
});

export const intentWith = (over: Partial<Intent>): Intent => ({
  network,
  devices: [],
  groups: [],
  policies: [],
  exceptions: [],
  ...noLinks,
  ...over,
});

export const vpn = (...targets: string[]) => targets.map((target) => ({ type: "vpn" as const, target }));
export const proxyHop = (target: string) => ({ type: "proxy" as const, target });

/** Every link is up. */
export const allUp = (links: readonly { readonly id: string }[]): NonNullable<Facts["conditions"]> =>
  Object.fromEntries(links.map(({ id }) => [id, { isUp: true, reason: because("link_answers") }]));

/** Numbers in the order of the names. */
export const numbersInOrder: Take = (pool, names) => new Map(names.map((name, index) => [name, pool.first + index]));
export const numbersFor = (names: NeededIds): KernelIds => allocateIds(names, numbersInOrder);

export const forwarder = (id: string, over: Partial<IntentForwarder> = {}): IntentForwarder => ({
  id,
  address: "192.0.2.53",
  port: 53,
  protocol: "plain",
  serverName: null,
  path: "",
  domains: [],
  isForwarded: false,
  pqMode: "default",
  ...over,
});

export const namesWith = (over: Partial<IntentDns> = {}): IntentDns => ({
  listener: { port: 53, address: null },
  caFile: "/etc/ssl/certs/ca-certificates.crt",
  anchors: [],
  isFiltering: true,
  ratePerSec: 1000,
  isRebindingProtected: true,
  rebindable: [],
  isValidating: true,
  prefersTunnelResolvers: true,
  rotation: "failover",
  forwarders: [forwarder("quad")],
  zones: [],
  external: null,
  ...over,
});
