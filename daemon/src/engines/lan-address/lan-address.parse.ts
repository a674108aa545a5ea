import type { AddedAddress, LanAddresses } from "./lan-address.model.ts";

interface LinkJson {
  readonly ifname?: string;
  readonly flags?: readonly string[];
  readonly addr_info?: readonly { readonly family?: string; readonly local?: string; readonly prefixlen?: number }[];
}

/** `ip -j address show` → interfaces with their IPv4 addresses. */
export const parseAddressed = (json: string): LanAddresses["links"] =>
  (JSON.parse(json || "[]") as LinkJson[]).flatMap(({ ifname: name, flags = [], addr_info = [] }) => {
    if (name === undefined) return [];
    const v4 = addr_info.filter(({ family }) => family === "inet");
    return [{ name, up: flags.includes("UP"), addresses: v4.map(({ local, prefixlen }) => `${local}/${prefixlen}`) }];
  });

/** The record of the addresses that the gateway has added. An unreadable record has none. */
export function parseAdded(text: string | undefined): AddedAddress[] {
  try {
    const added = JSON.parse(text ?? "[]") as unknown;
    return Array.isArray(added) ? added.filter(isAdded) : [];
  } catch {
    return []; // Not JSON.
  }
}

const isAdded = (it: Partial<AddedAddress> | null): it is AddedAddress =>
  typeof it?.interface === "string" && typeof it.address === "string" && typeof it.wasDown === "boolean";
