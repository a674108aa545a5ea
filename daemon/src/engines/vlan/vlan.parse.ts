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

interface AddressJson {
  readonly local?: string;
  readonly prefixlen?: number;
  readonly scope?: string;
  readonly dynamic?: boolean;
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
        addresses: addr_info
          .filter(({ scope, dynamic = false }) => scope !== "link" && !dynamic)
          .map(({ local, prefixlen }) => `${local}/${prefixlen}`),
      },
    ];
  });
}

/** The record of the VLAN interfaces we created. An unreadable record has none. */
export function parseRecord(text: string | undefined): string[] {
  try {
    const names = JSON.parse(text ?? "[]") as unknown;
    return Array.isArray(names) ? names.filter((it) => typeof it === "string") : [];
  } catch {
    return []; // Not JSON.
  }
}
