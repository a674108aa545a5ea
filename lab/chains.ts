import type { HopServer, HopTopology, HopClient } from "./topology-hops.ts";

/** Every kind of chain. A tunnel has one place, so each has servers of its own. */
const chains = {
  WireGuard: ["wireguard a1"],
  OpenVPN: ["openvpn b1"],
  "a SOCKS5 proxy": ["proxy c1"],
  "WireGuard in WireGuard": ["wireguard d1", "wireguard d2"],
  "WireGuard in OpenVPN": ["openvpn e1", "wireguard e2"],
  "a SOCKS5 proxy behind WireGuard": ["wireguard f1", "proxy f2"],
} as const;
export type ChainName = keyof typeof chains;
export const chainNames = Object.keys(chains) as ChainName[];

/** A chain and the client behind it. */
export interface ChainClient {
  readonly hops: readonly HopServer[];
  readonly last: HopServer;
  readonly client: HopClient;
}

/** A resident for each kind of chain. All of them talk, and their policies are in force. */
export async function openChains(topology: HopTopology): Promise<ReadonlyMap<ChainName, ChainClient>> {
  const settled = new Map<ChainName, ChainClient>();
  for (const name of chainNames) {
    const hops: HopServer[] = [];
    for (const [position, words] of chains[name].entries()) {
      const [kind, word] = words.split(" ") as ["wireguard" | "openvpn" | "proxy", string];
      hops.push(await topology[kind](word, position === 0));
    }
    settled.set(name, { hops, last: hops.at(-1)!, client: await topology.addClient(`r${settled.size + 1}`, hops) });
  }
  await topology.apply();
  // Only now that it is known inside of what: before, their servers would have been called in the open.
  for (const { hops } of settled.values())
    for (const later of hops.slice(1))
      if (later.kind !== "proxy") await topology.api.ok("POST", `/tunnels/${later.id}/up`);
  return settled;
}
