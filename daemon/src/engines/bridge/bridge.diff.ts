import { because, type Reason } from "@portcullis/contract/reason";
import type { BridgeLink, Bridges, ObservedLink } from "./bridge.model.ts";

/** A change of one bridge, or of kernel settings. */
export type BridgeChange =
  | { readonly kind: "remove"; readonly bridge: string }
  /** Lines for `ip -batch`, in their order. */
  | { readonly kind: "make" | "adjust"; readonly bridge: string; readonly lines: readonly string[] }
  | { readonly kind: "settings"; readonly keys: readonly string[] };

/** From the actual to the wanted bridges. Members that leave one bridge may join another. */
export function bridgeChanges(wanted: readonly BridgeLink[], actual: Bridges): BridgeChange[] {
  const known = new Map(actual.links.map((link) => [link.name, link]));
  const names = new Set(wanted.map((it) => it.interface));
  const removed = actual.ours
    .filter((name) => !names.has(name) && known.get(name)?.isBridge)
    .map((bridge) => ({ kind: "remove" as const, bridge }));
  const released = wanted.map((it) => releases(it, actual));
  const filled = wanted.flatMap((it): BridgeChange[] => {
    const existing = known.get(it.interface);
    if (existing && !existing.isBridge) return [];
    const lines = existing ? adjusting(it, existing, actual) : making(it, actual);
    return lines.length > 0 ? [{ kind: existing ? "adjust" : "make", bridge: it.interface, lines }] : [];
  });
  const keys = wanted.length > 0 ? actual.filtering : [];
  return [
    ...(keys.length > 0 ? [{ kind: "settings" as const, keys }] : []),
    ...removed,
    ...released.filter(({ lines }) => lines.length > 0),
    ...filled,
  ];
}

/** Only from our own bridges: another program may have added members to its bridges. */
function releases({ interface: bridge, members }: BridgeLink, { links, ours }: Bridges) {
  const surplus = ours.includes(bridge) ? links.filter((it) => it.master === bridge && !members.includes(it.name)) : [];
  return { kind: "adjust" as const, bridge, lines: surplus.map(({ name }) => `link set dev ${name} nomaster`) };
}

function making(wanted: BridgeLink, actual: Bridges): string[] {
  const { interface: bridge, stp, addresses } = wanted;
  return [
    `link add name ${bridge} type bridge stp_state ${stp ? 1 : 0}`,
    ...addresses.map((address) => `address add ${address} dev ${bridge}`),
    ...joining(wanted, actual),
    `link set dev ${bridge} up`,
  ];
}

function adjusting(wanted: BridgeLink, existing: ObservedLink, actual: Bridges): string[] {
  const { interface: bridge, stp, addresses } = wanted;
  const surplus = actual.ours.includes(bridge) ? existing.addresses.filter((it) => !addresses.includes(it)) : [];
  return [
    ...(existing.stp === stp ? [] : [`link set dev ${bridge} type bridge stp_state ${stp ? 1 : 0}`]),
    ...addresses
      .filter((it) => !existing.addresses.includes(it))
      .map((address) => `address add ${address} dev ${bridge}`),
    ...surplus.map((address) => `address del ${address} dev ${bridge}`),
    ...joining(wanted, actual),
    ...(existing.up ? [] : [`link set dev ${bridge} up`]),
  ];
}

/** A member that is missing or belongs to another bridge is reported; the others are added. */
function joining({ interface: bridge, members }: BridgeLink, { links, ours }: Bridges): string[] {
  return links
    .filter(({ name }) => members.includes(name))
    .flatMap(({ name, master, up }) => {
      const mayTake = master === null || ours.includes(master);
      return [
        ...(master !== bridge && mayTake ? [`link set dev ${name} master ${bridge}`] : []),
        ...(!up && (master === bridge || mayTake) ? [`link set dev ${name} up`] : []),
      ];
    });
}

export interface BridgeState {
  readonly interface: string;
  readonly exists: boolean;
  readonly up: boolean;
  readonly carrier: boolean;
  readonly stp: boolean;
  readonly members: readonly { readonly name: string; readonly state: string }[];
  readonly problems: readonly Reason[];
}

/** The state and the problems of each bridge. `failures` are the last errors of `ip`, by bridge. */
export function bridgeStates(
  wanted: readonly BridgeLink[],
  { links }: Bridges,
  failures: ReadonlyMap<string, Reason>,
): BridgeState[] {
  const known = new Map(links.map((link) => [link.name, link]));
  return wanted.map(({ interface: name, members, refused }) => {
    const link = known.get(name);
    const bridge = link?.isBridge ? link : undefined;
    const failure = failures.get(name);
    return {
      interface: name,
      exists: bridge !== undefined,
      up: bridge?.up ?? false,
      carrier: bridge?.carrier ?? false,
      stp: bridge?.stp ?? false,
      members: links
        .filter(({ master }) => master === name)
        .map((it) => ({ name: it.name, state: it.portState ?? "unknown" })),
      problems: [
        ...(link && !link.isBridge ? [because("bridge_foreign", { interface: name })] : []),
        ...members.flatMap((member) => memberProblems(name, member, known.get(member))),
        ...refused.map((member) => because("member_refused", { member })),
        ...(failure === undefined ? [] : [failure]),
      ],
    };
  });
}

function memberProblems(bridge: string, member: string, link: ObservedLink | undefined): Reason[] {
  if (!link) return [because("member_missing", { member })];
  if (link.master !== null && link.master !== bridge) return [because("member_taken", { member, bridge: link.master })];
  // The addresses stay: an operator may be connected through one of them.
  const { addresses } = link;
  return addresses.length === 0 ? [] : [because("member_addressed", { member, addresses })];
}
