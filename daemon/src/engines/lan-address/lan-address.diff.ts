import type { AddedAddress, LanAddress, LanAddresses } from "./lan-address.model.ts";

/** A change of one address. Lines for `ip -batch`; none if only the record changes. */
export interface LanAddressChange {
  readonly kind: "add" | "remove" | "raise" | "forget";
  readonly added: AddedAddress;
  readonly lines: readonly string[];
}

/** An address that another program has set is used as it is, and never removed. */
export function lanAddressChanges(wanted: readonly LanAddress[], { links, ours }: LanAddresses): LanAddressChange[] {
  const linkOf = (name: string) => links.find((it) => it.name === name);
  const isWanted = (it: LanAddress) => wanted.some((other) => isSame(it, other));
  const removed = ours
    .filter((it) => !isWanted(it))
    .map((added): LanAddressChange => {
      const link = linkOf(added.interface);
      if (!link?.addresses.includes(added.address)) return { kind: "forget", added, lines: [] };
      const lines = [
        `address del ${added.address} dev ${link.name}`,
        ...(added.wasDown ? [`link set dev ${link.name} down`] : []),
      ];
      return { kind: "remove", added, lines };
    });
  const set = wanted.flatMap((it): LanAddressChange[] => {
    const link = linkOf(it.interface);
    if (!link) return [];
    const wasDown = ours.find((other) => isSame(it, other))?.wasDown ?? !link.up;
    const added = { ...it, wasDown };
    const raise = link.up ? [] : [`link set dev ${link.name} up`];
    if (!link.addresses.includes(it.address))
      return [{ kind: "add", added, lines: [...raise, `address add ${it.address} brd + dev ${link.name}`] }];
    return raise.length > 0 ? [{ kind: "raise", added, lines: raise }] : [];
  });
  return [...removed, ...set];
}

export const isSame = (a: LanAddress, b: LanAddress): boolean => a.interface === b.interface && a.address === b.address;
