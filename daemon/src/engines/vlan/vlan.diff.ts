import { because, type Reason } from "@portcullis/contract/reason";
import type { ObservedLink, VlanLink, Vlans } from "./vlan.model.ts";

/** A change of one VLAN interface. */
export type VlanChange =
  | { readonly kind: "remove" | "forget"; readonly vlan: string }
  /** Created with `add`; then the lines for `ip -batch`, in their order. */
  | { readonly kind: "make"; readonly vlan: string; readonly add: readonly string[]; readonly lines: readonly string[] }
  | { readonly kind: "adjust"; readonly vlan: string; readonly lines: readonly string[] };

/** From the actual to the wanted VLAN interfaces. One with another parent or number is removed and created again. */
export function vlanChanges(wanted: readonly VlanLink[], { links, ours }: Vlans): VlanChange[] {
  const known = new Map(links.map((link) => [link.name, link]));
  const surplus = ours.filter((name) => !wanted.some((it) => it.interface === name && isMade(it, known.get(name))));
  const removed = surplus.flatMap((vlan): VlanChange[] => {
    if (known.get(vlan)?.vlan) return [{ kind: "remove", vlan }];
    // A wanted one whose parent is gone stays in the record: it is created again with its parent.
    return wanted.some((it) => it.interface === vlan) ? [] : [{ kind: "forget", vlan }];
  });
  const isRemoved = (name: string): boolean => removed.some(({ kind, vlan }) => kind === "remove" && vlan === name);
  const made = wanted.flatMap((it): VlanChange[] => {
    const existing = isRemoved(it.interface) ? undefined : known.get(it.interface);
    if (!existing) return making(it, known.get(it.parent));
    if (!isMade(it, existing)) return []; // Another program's, and reported.
    const lines = adjusting(it, existing, ours.includes(it.interface));
    return lines.length > 0 ? [{ kind: "adjust", vlan: it.interface, lines }] : [];
  });
  return [...removed, ...made];
}

const isMade = ({ parent, id }: VlanLink, link: ObservedLink | undefined): boolean =>
  link?.vlan?.parent === parent && link.vlan.id === id;

/** Without its parent there is nothing to create. A parent that only has VLANs has no other reason to be up. */
function making({ interface: vlan, parent, id, addresses }: VlanLink, below: ObservedLink | undefined): VlanChange[] {
  if (!below) return [];
  return [
    {
      kind: "make",
      vlan,
      add: ["link", "add", "link", parent, "name", vlan, "type", "vlan", "id", `${id}`],
      lines: [
        ...addresses.map((address) => `address add ${address} dev ${vlan}`),
        ...(below.up ? [] : [`link set dev ${parent} up`]),
        `link set dev ${vlan} up`,
      ],
    },
  ];
}

function adjusting({ interface: vlan, addresses }: VlanLink, existing: ObservedLink, isOurs: boolean): string[] {
  const surplus = isOurs ? existing.addresses.filter((it) => !addresses.includes(it)) : [];
  return [
    ...addresses.filter((it) => !existing.addresses.includes(it)).map((it) => `address add ${it} dev ${vlan}`),
    ...surplus.map((it) => `address del ${it} dev ${vlan}`),
    ...(existing.up ? [] : [`link set dev ${vlan} up`]),
  ];
}

export interface VlanState {
  readonly interface: string;
  readonly exists: boolean;
  readonly up: boolean;
  readonly hasLink: boolean;
  readonly problems: readonly Reason[];
}

/** The state and the problems of each VLAN. `failures` are the last errors of `ip`, by interface. */
export function vlanStates(
  wanted: readonly VlanLink[],
  links: readonly ObservedLink[],
  failures: ReadonlyMap<string, Reason>,
): VlanState[] {
  return wanted.map((it) => {
    const { interface: name, parent, id } = it;
    const named = links.find((link) => link.name === name);
    const other = links.find((link) => link.name !== name && isMade(it, link));
    const exists = isMade(it, named);
    const failure = failures.get(name);
    return {
      interface: name,
      exists,
      up: exists && named!.up,
      hasLink: exists && named!.hasLink,
      problems: [
        ...(named && !exists ? [because("vlan_foreign", { interface: name, id, parent })] : []),
        ...(other ? [because("vlan_taken", { interface: other.name, id, parent })] : []),
        ...(links.some((link) => link.name === parent) ? [] : [because("vlan_parent_missing", { parent })]),
        ...(failure === undefined ? [] : [failure]),
      ],
    };
  });
}
