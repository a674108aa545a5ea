import { because, type Reason } from "@portcullis/contract/reason";
import type { Drift } from "../engine.ts";
import type { ProcessChange } from "../supervisor/supervisor.diff.ts";
import type { ProcessSpec, ProcessState } from "../supervisor/supervisor.model.ts";
import { sandboxedTunnel } from "../tun/tun.model.ts";
import { addressKey, type Interface } from "../wireguard/wireguard.parse.ts";
import { hostAddresses, problemOfAssigned, type Reserved } from "./assigned.model.ts";
import type { Status } from "./management.parse.ts";
import type { OpenvpnClient } from "./openvpn.model.ts";
import { renderClient } from "./openvpn.render.ts";

export interface Observed {
  readonly interfaces: ReadonlySet<string>;
  /** All links of the gateway with their addresses. Read only while a client is connected. */
  readonly links: ReadonlyMap<string, Interface>;
  /** Links on which the kernel takes no IPv6 address. */
  readonly withoutIpv6: ReadonlySet<string>;
  /** The user for whom a device of a tunnel was made. */
  readonly ownerOf: (name: string) => number | undefined;
  readonly processes: readonly ProcessState[];
  /** Of clients that run, by their interface. */
  readonly clients: ReadonlyMap<string, ObservedClient>;
}

export interface ObservedClient {
  readonly status: Status;
  readonly mayRelease: boolean;
  /** Whether credentials that were sent since its start have been replaced. */
  readonly hasOutdatedCredentials: (credentials: OpenvpnClient["credentials"]) => boolean;
}

export type Change =
  | { readonly kind: "child"; readonly change: ProcessChange }
  /** It runs, but does not work; the reason is for the operator. */
  | { readonly kind: "replace"; readonly child: ProcessSpec; readonly reason: string }
  | {
      readonly kind: "answer";
      readonly interface: string;
      readonly credentials: NonNullable<OpenvpnClient["credentials"]>;
    }
  | { readonly kind: "release"; readonly interface: string }
  /** Addresses, MTU and state of its link. */
  | { readonly kind: "configure"; readonly interface: string; readonly configuration: Configuration };

export interface Configuration {
  /** For `ip -batch`. */
  readonly lines: readonly string[];
  readonly drift: readonly Drift[];
}

export const processName = (name: string): string => `openvpn.${name}`;
export const interfaceOf = (child: string): string => child.slice("openvpn.".length);

/** Where its folder is, and what it needs to open its device. */
export interface Environment {
  readonly folder: string;
  readonly privileges: readonly string[];
}

const processFor = (client: OpenvpnClient, { folder, privileges }: Environment): ProcessSpec => ({
  name: processName(client.interface),
  ...sandboxedTunnel({
    command: "openvpn",
    args: ["--config", "stdin"],
    userId: client.userId,
    folder: { inside: insideFolder, path: folderOf(client.interface, folder) },
    privileges,
  }),
  stdin: renderClient(client, `${insideFolder}/${socketName}`),
});

const insideFolder = "/run/openvpn";
const socketName = "management.sock";
export const folderOf = (name: string, folder: string): string => `${folder}/${name}`;
export const socketOf = (name: string, folder: string): string => `${folderOf(name, folder)}/${socketName}`;

/** `children` compares existing and wanted processes; the rest is about running clients. */
export function openvpnChanges(
  desired: readonly OpenvpnClient[],
  seen: Observed,
  environment: Environment & { readonly children: (wanted: readonly ProcessSpec[]) => readonly ProcessChange[] },
): Change[] {
  const startable = desired.filter((client) => !isForeign(client, seen));
  const changes = environment.children(startable.map((client) => processFor(client, environment)));
  const touched = new Set(changes.map((change) => (change.kind === "end" ? change.name : change.spec.name)));
  const problems = assignedProblems(desired, seen);
  return [
    ...changes.map((change) => ({ kind: "child" as const, change })),
    ...startable
      .filter((client) => !touched.has(processName(client.interface)))
      .flatMap((client) => needsOf(client, seen, { environment, problem: problems.get(client.interface) })),
  ];
}

/** Interface → why the addresses its server assigned are not used. Only clients that are connected have any. */
export function assignedProblems(desired: readonly OpenvpnClient[], seen: Observed): ReadonlyMap<string, Reason> {
  const problems = new Map<string, Reason>();
  const accepted: Reserved[] = [];
  for (const client of desired) {
    const name = client.interface;
    const status = seen.clients.get(name)?.status;
    if (status?.state !== "CONNECTED") continue;
    const problem = problemOfAssigned(status.addresses, [...accepted, ...reservedFor(client, seen)]);
    if (problem !== undefined) problems.set(name, problem);
    else accepted.push(...ownedBy(because("owner_tunnel", { interface: name }), status.addresses));
  }
  return problems;
}

const ownedBy = (owner: Reason, networks: readonly string[]): Reserved[] =>
  networks.map((network) => ({ network, owner }));

const reservedFor = ({ interface: own, remotes, reserved }: OpenvpnClient, { links }: Observed): Reserved[] => [
  ...ownedBy(
    because("owner_own_server"),
    remotes.map(({ address }) => address),
  ),
  ...reserved,
  ...[...links]
    .filter(([name]) => name !== own)
    .flatMap(([name, { addresses }]) => ownedBy(because("owner_interface", { interface: name }), addresses)),
];

function needsOf(
  client: OpenvpnClient,
  seen: Observed,
  { environment, problem }: { readonly environment: Environment; readonly problem: Reason | undefined },
): Change[] {
  const { interfaces, clients } = seen;
  const observed = clients.get(client.interface);
  if (!observed) return [];
  const { status, mayRelease } = observed;
  const { credentials } = client;
  const replace = (reason: string): Change[] => [{ kind: "replace", child: processFor(client, environment), reason }];
  if (observed.hasOutdatedCredentials(credentials)) return replace("the name or the password changed");
  // It would continue with an interface that no longer exists.
  if (status.state === "CONNECTED" && !interfaces.has(client.interface)) return replace("its interface has vanished");
  const configuration = configurationOf(client, status, { seen, problem });
  if (configuration) return [{ kind: "configure", interface: client.interface, configuration }];
  if (status.passwordRequest === "Auth" && credentials)
    return [{ kind: "answer", interface: client.interface, credentials }];
  return mayRelease ? [{ kind: "release", interface: client.interface }] : [];
}

/** A device of this name that was not made for this client. */
export const isForeign = (
  { interface: name, userId }: OpenvpnClient,
  { interfaces, ownerOf, processes }: Observed,
): boolean =>
  interfaces.has(name) &&
  ownerOf(name) !== userId &&
  !processes.some((it) => it.name === processName(name) && it.condition.kind === "running");

/**
 * What differs between the link of a connected client and what it should be, or nothing. A client whose addresses are refused
 * has a link without any, and that is down.
 */
export function configurationOf(
  { interface: name, mtu }: OpenvpnClient,
  { state, addresses }: Status,
  { seen: { links, withoutIpv6 }, problem }: { readonly seen: Observed; readonly problem: Reason | undefined },
): Configuration | undefined {
  const link = links.get(name);
  if (state !== "CONNECTED" || !link) return undefined;
  const usable = addresses.filter((it) => !withoutIpv6.has(name) || !it.includes(":"));
  const wanted = problem === undefined ? hostAddresses(usable) : [];
  const isUp = problem === undefined;
  const missing = wanted.filter((it) => !link.addresses.some((one) => addressKey(one) === addressKey(it)));
  const surplus = link.addresses.filter((it) => !wanted.some((one) => addressKey(one) === addressKey(it)));
  const differs = (field: string, expected: string | null, actual: string | null): Drift => ({
    resource: name,
    field,
    expected,
    actual,
  });
  const drift = [
    ...missing.map((it) => differs("address", it, null)),
    ...surplus.map((it) => differs("address", null, it)),
    ...(link.mtu === mtu ? [] : [differs("mtu", String(mtu), String(link.mtu))]),
    ...(link.isUp === isUp ? [] : [differs("link", isUp ? "up" : "down", link.isUp ? "up" : "down")]),
  ];
  if (drift.length === 0) return undefined;
  const lines = [
    ...surplus.map((it) => `address del ${it} dev ${name}`),
    // Without a route to the network the server says the address is in.
    ...missing.map((it) => `address add ${it} dev ${name} noprefixroute${it.includes(":") ? " nodad" : ""}`),
    ...(link.mtu === mtu ? [] : [`link set dev ${name} mtu ${mtu}`]),
    ...(link.isUp || !isUp ? [] : [`link set dev ${name} addrgenmode none`, `link set dev ${name} up`]),
    ...(link.isUp && !isUp ? [`link set dev ${name} down`] : []),
  ];
  return { lines, drift };
}
