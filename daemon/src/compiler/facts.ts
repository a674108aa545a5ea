import type { Hop } from "@portcullis/contract/subsystems/routing";
import type { Intent } from "./intent.ts";

/** What the world looks like, as far as it matters for where packets go. Plain data, so that a case can be written down. */
export interface Facts {
  readonly links: readonly Link[];
  /** Hop → where it leads and whether it carries packets now. A hop that is not listed leads nowhere. */
  readonly hops: readonly HopFact[];
}

export interface Link {
  readonly name: string;
  readonly up: boolean;
  /** Number of a VLAN interface. */
  readonly vlan?: number;
  /** Where its default route leads, by family; a tunnel needs none. */
  readonly gateways?: { readonly v4?: string; readonly v6?: string };
  /** The gateway's own addresses on it. */
  readonly addresses?: readonly string[];
  /** Networks that are reached through it without a gateway. */
  readonly networks?: readonly string[];
}

export interface HopFact {
  readonly type: string;
  readonly target: string;
  readonly interface: string;
  readonly up: boolean;
}

/** A hop of type interface or vpn leads to the interface of its name; `assumed` overrides what the kernel says. */
export function factsFor(
  { policies }: Pick<Intent, "policies">,
  links: readonly Link[],
  assumed: Readonly<Record<string, boolean>> = {},
): Facts {
  const byName = new Map(links.map((link) => [link.name, link]));
  const distinct = new Map<string, Hop>();
  for (const { hops } of policies)
    for (const hop of hops)
      if (hop.type === "interface" || hop.type === "vpn") distinct.set(`${hop.type} ${hop.target}`, hop);
  const hops = [...distinct.values()].flatMap(({ type, target }) => {
    const up = assumed[target] ?? byName.get(target)?.up;
    return up === undefined ? [] : [{ type, target, interface: target, up }];
  });
  return { links, hops };
}
