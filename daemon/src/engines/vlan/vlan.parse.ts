import { type AddressJson, setAddresses } from "../link-listing.parse.ts";
import type { ObservedLink } from "./vlan.model.ts";

interface LinkJson {
  readonly ifname?: string;
  /** The interface below it. */
  readonly link?: string;
  readonly flags?: readonly string[];
  readonly linkinfo?: {
    readonly info_kind?: string;
    readonly info_data?: { readonly protocol?: string; readonly id?: number };
  };
  readonly addr_info?: readonly AddressJson[];
}

/** `ip -j -d address show` → interfaces. A VLAN with the tags of providers (802.1ad) is none of ours. */
export function parseLinks(json: string): ObservedLink[] {
  return (JSON.parse(json || "[]") as LinkJson[]).flatMap(({ ifname, link, flags = [], linkinfo, addr_info = [] }) => {
    if (ifname === undefined) return [];
    const { protocol, id } = linkinfo?.info_data ?? {};
    const isVlan = linkinfo?.info_kind === "vlan" && protocol === "802.1Q" && id !== undefined;
    return [
      {
        name: ifname,
        up: flags.includes("UP"),
        hasLink: flags.includes("LOWER_UP"),
        vlan: isVlan ? { parent: link ?? null, id } : undefined,
        addresses: setAddresses(addr_info),
      },
    ];
  });
}
