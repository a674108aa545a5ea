import type { InputOf } from "@portcullis/contract/endpoint";
import type { PublishedVlan, Vlan, vlans } from "@portcullis/contract/subsystems/vlans";
import type { Cause } from "../../ledger/change.ts";
import type { Resource } from "../../ledger/collection.ts";
import { type NamedNeeds, namedResource } from "../named.ts";
import { found, given, newId, pageOf } from "../resources.ts";
import { interfaceFor, normalizeAddresses, type OtherInterfaces, refuseCutOff, refuseImpossible } from "./rules.ts";
import { statusOf, type VlanStatusSource } from "./vlans.status.ts";

type CreateBody = InputOf<typeof vlans.create>["body"];
type UpdateBody = InputOf<typeof vlans.update>["body"];
type ListQuery = InputOf<typeof vlans.list>["query"];

interface Needs extends NamedNeeds {
  /** LAN interfaces of the bootstrap file. */
  readonly lan: readonly string[];
  readonly lanAddresses: OtherInterfaces["lanAddresses"];
  readonly uplinks: () => readonly string[];
  readonly statusSource: VlanStatusSource;
}
interface Tunnel extends Resource {
  readonly interface: string;
}
type Bridge = Resource & OtherInterfaces["bridges"][number];

export type VlanService = ReturnType<typeof vlanService>;

/** VLAN interfaces of the kernel. A change takes effect immediately. */
export function vlanService({ ledger, refuseInUse, lan, lanAddresses, uplinks, statusSource }: Needs) {
  const collection = ledger.staged<PublishedVlan>("vlan");

  function checked(vlan: PublishedVlan): PublishedVlan {
    const normalized = { ...vlan, addresses: normalizeAddresses(vlan.addresses) };
    refuseImpossible(normalized, {
      others: collection.all().filter(({ id }) => id !== vlan.id),
      lan,
      lanAddresses,
      uplinks: uplinks(),
      tunnels: ledger
        .staged<Tunnel>("tunnel")
        .all()
        .map((it) => it.interface),
      bridges: ledger.staged<Bridge>("bridge").all(),
    });
    return normalized;
  }

  const plain = namedResource({
    ledger,
    refuseInUse,
    kind: "vlan",
    noun: "VLAN",
    create: ({ name, parent, vlan_id, ...body }: CreateBody): PublishedVlan => {
      const derived = { ...blank, interface: interfaceFor(parent, vlan_id) };
      return checked({ ...derived, ...given(body), id: newId(), name, parent, vlan_id });
    },
    update: (before: PublishedVlan, body: UpdateBody): PublishedVlan => {
      const after = { ...before, ...given(body) };
      refuseCutOff(before, after, { lan, uplinks: uplinks() });
      return checked(after);
    },
  });
  const shown = (vlan: PublishedVlan): Vlan => ({ ...vlan, ...statusOf(vlan, statusSource, uplinks()) });

  return {
    list: (query: ListQuery) => {
      const { enabled } = query;
      const page = pageOf(collection, query, enabled === undefined ? undefined : (it) => it.enabled === enabled);
      return { ...page, items: page.items.map(shown) };
    },
    get: (id: string): Vlan => shown(plain.get(id)),
    create: (cause: Cause, body: CreateBody): Vlan => shown(plain.create(cause, body)),
    update: (cause: Cause, id: string, body: UpdateBody): Vlan => shown(plain.update(cause, id, body)),
    remove: (cause: Cause, id: string): void => {
      refuseCutOff(found(collection, "VLAN", id), undefined, { lan, uplinks: uplinks() });
      plain.remove(cause, id);
    },
    /** The interfaces of all VLANs. */
    interfaces: (): string[] => collection.all().map((it) => it.interface),
    /** The interfaces on which they are. */
    parents: (): string[] => collection.all().map((it) => it.parent),
    /** Those with devices behind them. */
    lans: (): string[] =>
      collection
        .all()
        .filter(({ enabled, role }) => enabled && role === "lan")
        .map((it) => it.interface),
  };
}

const blank = { addresses: [], role: "lan", enabled: true } as const satisfies Partial<PublishedVlan>;
