import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type HopServer, type Household, openHousehold, type Resident, until } from "../hopping.ts";
import { uplinkAddress } from "../internet.ts";
import { type Lab, openLab } from "../namespaces.ts";
import { server as web } from "../town.ts";

/*
 * One household, a resident for each kind of chain. A tunnel has one place, so every chain has servers of its own.
 */
const chains = {
  WireGuard: ["wireguard a1"],
  OpenVPN: ["openvpn b1"],
  "a SOCKS5 proxy": ["proxy c1"],
  "WireGuard in WireGuard": ["wireguard d1", "wireguard d2"],
  "WireGuard in OpenVPN": ["openvpn e1", "wireguard e2"],
  "a SOCKS5 proxy behind WireGuard": ["wireguard f1", "proxy f2"],
} as const;
type ChainName = keyof typeof chains;
const chainNames = Object.keys(chains) as ChainName[];

let lab: Lab;
let house: Household;
const hops = new Map<ChainName, HopServer[]>();
const residents = new Map<ChainName, Resident>();

beforeAll(async () => {
  lab = openLab();
  house = await openHousehold(lab);
  for (const name of chainNames) {
    const servers: HopServer[] = [];
    for (const words of chains[name]) {
      const [kind, word] = words.split(" ") as ["wireguard" | "openvpn" | "proxy", string];
      servers.push(await house[kind](word));
    }
    hops.set(name, servers);
    residents.set(name, await house.resident(`r${hops.size}`, servers));
  }
  await house.apply();
}, 120_000);
afterAll(async () => {
  await house?.[Symbol.asyncDispose]();
  await lab?.[Symbol.asyncDispose]();
}, 60_000);

const last = (chain: ChainName) => hops.get(chain)!.at(-1)!;
const arrives = async (chain: ChainName): Promise<boolean> =>
  (await residents.get(chain)!.who()).includes(last(chain).site.v4);

test("every chain carries its resident, and the web server sees the last hop only", { timeout: 60_000 }, async () => {
  for (const chain of chainNames) {
    const seconds = await until(`${chain} carries`, () => arrives(chain), 20);
    console.log(`${chain}: carries after ${seconds.toFixed(1)} s more`);
    expect(await residents.get(chain)!.who()).toEqual([last(chain).site.v4]);
  }
});
