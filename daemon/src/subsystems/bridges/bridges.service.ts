import { because, explained } from "@portcullis/contract/reason";
import type { InputOf } from "@portcullis/contract/endpoint";
import type { Bridge, BridgeHealth, BridgeProbe, bridges } from "@portcullis/contract/subsystems/bridges";
import type { Cause } from "../../ledger/change.ts";
import type { Resource } from "../../ledger/collection.ts";
import { type NamedNeeds, namedResource } from "../named.ts";
import { found, given, newId, pageOf } from "../resources.ts";
import { type BridgeStatusSource, statusOf, type StagedBridge, check } from "./bridges.status.ts";
import { interfaceFor, type OtherInterfaces, refuseCutOff, refuseImpossible, normalizeAddresses } from "./rules.ts";

type CreateBody = InputOf<typeof bridges.create>["body"];
type UpdateBody = InputOf<typeof bridges.update>["body"];
type ListQuery = InputOf<typeof bridges.list>["query"];

interface Needs extends NamedNeeds {
  /** LAN interfaces. */
  readonly lan: readonly string[];
  readonly uplinks: () => readonly string[];
  readonly statusSource: BridgeStatusSource;
}
interface Tunnel extends Resource {
  readonly interface: string;
}
type Vlan = Resource & OtherInterfaces["vlans"][number];

export type Bridges = ReturnType<typeof bridgeService>;

/** Bridges of the kernel: several ports as one network. A change takes effect immediately. */
export function bridgeService({ ledger, refuseInUse, lan, uplinks, statusSource }: Needs) {
  const collection = ledger.staged<StagedBridge>("bridge");
  const vlans = () => ledger.staged<Vlan>("vlan").all();

  function checked(bridge: StagedBridge): StagedBridge {
    const normalized = { ...bridge, addresses: normalizeAddresses(bridge.addresses) };
    refuseImpossible(normalized, {
      others: collection.all().filter(({ id }) => id !== bridge.id),
      lan,
      uplinks: uplinks(),
      tunnels: ledger
        .staged<Tunnel>("tunnel")
        .all()
        .map((it) => it.interface),
      vlans: vlans(),
    });
    return normalized;
  }

  const plain = namedResource({
    ledger,
    refuseInUse,
    kind: "bridge",
    noun: "bridge",
    create: (body: CreateBody): StagedBridge => {
      const id = newId();
      return checked({ ...blank, interface: interfaceFor(body.name, id), ...given(body), name: body.name, id });
    },
    update: (before: StagedBridge, body: UpdateBody): StagedBridge => {
      const after = { ...before, ...given(body) };
      refuseCutOff(before, after, { lan, vlans: vlans() });
      return checked(after);
    },
  });
  function shown(bridge: StagedBridge): Bridge {
    const { status, healthy, coded_reason: why } = statusOf(bridge, statusSource);
    return { ...bridge, status, healthy, ...explained(why) };
  }

  return {
    list: (query: ListQuery) => {
      const { enabled } = query;
      const page = pageOf(collection, query, enabled === undefined ? undefined : (it) => it.enabled === enabled);
      return { ...page, items: page.items.map(shown) };
    },
    get: (id: string): Bridge => shown(plain.get(id)),
    create: (cause: Cause, body: CreateBody): Bridge => shown(plain.create(cause, body)),
    update: (cause: Cause, id: string, body: UpdateBody): Bridge => shown(plain.update(cause, id, body)),
    remove: (cause: Cause, id: string): void => {
      refuseCutOff(found(collection, "bridge", id), undefined, { lan, vlans: vlans() });
      plain.remove(cause, id);
    },
    toggle: (cause: Cause, id: string, enabled: boolean | undefined): Bridge =>
      shown(plain.update(cause, id, { enabled: enabled ?? !plain.get(id).enabled })),
    status: (): BridgeHealth[] =>
      collection.all().map((bridge) => {
        const { status: _, ...status } = statusOf(bridge, statusSource);
        return { id: bridge.id, name: bridge.name, interface: bridge.interface, ...status };
      }),
    /** The interfaces of all bridges and their ports. */
    interfaces: (): string[] => collection.all().flatMap((it) => [it.interface, ...it.members]),
    probe: async (cause: Cause, id: string, target: string | undefined): Promise<BridgeProbe> => {
      const bridge = plain.get(id);
      ledger.change(cause, (draft) => draft.about(id, target === undefined ? {} : { target }));
      return bridge.enabled ? statusSource.probe(bridge, target) : switchedOff;
    },
  };
}

const blank = { members: [], addresses: [], stp: false, enabled: true } as const satisfies Partial<StagedBridge>;

const switchedOff: BridgeProbe = {
  healthy: false,
  checks: [check("enabled", false, because("link_disabled"))],
};
