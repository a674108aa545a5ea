import type { Drift } from "../engine.ts";
import type { ProcessState } from "../supervisor/supervisor.model.ts";
import type { WireguardLink, WireguardPeer } from "./wireguard.model.ts";
import { addressKey, type Device, type DevicePeer, type Interface, networkKey } from "./wireguard.parse.ts";
import { renderConf } from "./wireguard.render.ts";

/** What we wrote down of an interface that we made. */
export interface CreationRecord {
  readonly by: "kernel" | "program";
  /** Where each peer was said to be. It may have moved since, and may stay where it is. */
  readonly endpoints: Readonly<Record<string, string>>;
}

export interface Observed {
  readonly interfaces: ReadonlyMap<string, Interface>;
  /** Of interfaces that are ours; one that does not answer is missing. */
  readonly devices: ReadonlyMap<string, Device>;
  readonly made: ReadonlyMap<string, CreationRecord>;
  /** Devices that were made for a program of ours; they outlast it. */
  readonly owned: ReadonlySet<string>;
  readonly processes: readonly ProcessState[];
}

export type Change =
  | { readonly kind: "remove"; readonly interface: string }
  | { readonly kind: "make"; readonly link: WireguardLink }
  | { readonly kind: "alter"; readonly link: WireguardLink; readonly alteration: Alteration };

export interface Alteration {
  /** For `wg syncconf`. */
  readonly conf: string | undefined;
  /** For `ip -batch`, afterwards: nothing is up before it is whole. */
  readonly lines: readonly string[];
  readonly drift: readonly Drift[];
}

export const processName = (name: string): string => `wireguard.${name}`;
export const interfaceOf = (child: string): string => child.slice("wireguard.".length);

/** An interface of another program is left alone, even if its name is wanted; so is one whose process is in backoff. */
export function wireguardChanges(desired: readonly WireguardLink[], seen: Observed): Change[] {
  const wanted = new Set(desired.map((link) => link.interface));
  return [
    ...[...seen.made.keys()]
      .filter((name) => !wanted.has(name))
      .map((name) => ({ kind: "remove" as const, interface: name })),
    ...desired.flatMap((link): Change[] => {
      const existing = presenceOf(link.interface, seen);
      if (existing.kind === "missing") return [{ kind: "make", link }];
      if (existing.kind !== "ours") return [];
      const alteration = alterationOf(link, existing);
      return alteration ? [{ kind: "alter", link, alteration }] : [];
    }),
  ];
}

export type Presence =
  | { readonly kind: "missing" | "backoff" | "foreign" | "unresponsive" }
  | ({ readonly kind: "ours" } & Ours);

export interface Ours {
  readonly link: Interface;
  readonly device: Device;
  readonly made: CreationRecord;
}

export function presenceOf(name: string, { interfaces, devices, made, owned, processes }: Observed): Presence {
  const link = interfaces.get(name);
  const record = made.get(name);
  const child = processName(name);
  const condition = processes.find((it) => it.name === child)?.condition.kind;
  const isWithoutProgram = record?.by === "program" && condition !== "running";
  if (!link || (isWithoutProgram && owned.has(name))) return { kind: condition === "backoff" ? "backoff" : "missing" };
  // Not made for a program of ours, and none runs: another program was quicker to take the name.
  if (!record || isWithoutProgram) return { kind: "foreign" };
  const device = devices.get(name);
  return device ? { kind: "ours", link, device, made: record } : { kind: "unresponsive" };
}

/** What differs between a link and what it should be, or nothing. */
export function alterationOf(link: WireguardLink, { link: existing, device, made }: Ours): Alteration | undefined {
  const moved = link.peers.filter(
    (peer) => peer.endpoint !== null && (made.endpoints[peer.publicKey] !== peer.endpoint || !endpointOf(device, peer)),
  );
  const inside = deviceDrift(link, device);
  const conf =
    inside.length > 0 || moved.length > 0
      ? renderConf(link, {
          listenPort: device.listenPort,
          withEndpoint: (peer) => moved.includes(peer),
        })
      : undefined;
  const addresses = addressDifference(link, existing);
  const drift = [
    ...inside,
    ...moved.map((peer) => differs(link, `endpoint of ${peer.publicKey}`, peer.endpoint, endpointOf(device, peer))),
    ...addresses.missing.map((it) => differs(link, "address", it, null)),
    ...addresses.surplus.map((it) => differs(link, "address", null, it)),
    ...(existing.mtu === link.mtu ? [] : [differs(link, "mtu", String(link.mtu), String(existing.mtu))]),
    ...(existing.isUp ? [] : [differs(link, "state", "up", "down")]),
  ];
  if (drift.length === 0) return undefined;
  const name = link.interface;
  const lines = [
    ...addresses.surplus.map((it) => `address del ${it} dev ${name}`),
    ...addresses.missing.map((it) => `address add ${it} dev ${name}${it.includes(":") ? " nodad" : ""}`),
    ...(existing.mtu === link.mtu ? [] : [`link set dev ${name} mtu ${link.mtu}`]),
    ...(existing.isUp ? [] : [`link set dev ${name} addrgenmode none`, `link set dev ${name} up`]),
  ];
  return { conf, lines, drift };
}

/** Keys are compared and never printed. */
function deviceDrift(link: WireguardLink, device: Device): Drift[] {
  const wanted = new Map(link.peers.map((peer) => [peer.publicKey, peer]));
  const existing = new Map(device.peers.map((peer) => [peer.publicKey, peer]));
  return [
    ...(device.privateKey === link.privateKey ? [] : [differs(link, "private key", "ours", "another")]),
    ...(device.mark === link.mark >>> 0 ? [] : [differs(link, "mark", hex(link.mark), hex(device.mark))]),
    ...(link.listenPort === null || device.listenPort === link.listenPort
      ? []
      : [differs(link, "listen port", String(link.listenPort), String(device.listenPort))]),
    ...link.peers
      .filter((peer) => !isSamePeer(peer, existing.get(peer.publicKey)))
      .map((peer) => peerDrift(link, peer, existing.get(peer.publicKey))),
    ...device.peers
      .filter(({ publicKey }) => !wanted.has(publicKey))
      .map(({ publicKey }) => differs(link, `peer ${publicKey}`, null, "there")),
  ];
}

const isSamePeer = (wanted: WireguardPeer, existing: DevicePeer | undefined): boolean =>
  existing !== undefined &&
  existing.presharedKey === wanted.presharedKey &&
  existing.keepaliveSec === wanted.keepaliveSec &&
  networksOf(existing.allowedIps) === networksOf(wanted.allowedIps);

const networksOf = (networks: readonly string[]): string => [...new Set(networks.map(networkKey))].toSorted().join(" ");

function peerDrift(link: WireguardLink, wanted: WireguardPeer, existing: DevicePeer | undefined): Drift {
  const field = `peer ${wanted.publicKey}`;
  const describe = ({ allowedIps, keepaliveSec }: Pick<WireguardPeer, "allowedIps" | "keepaliveSec">) =>
    `${allowedIps.join(", ")}, keepalive ${keepaliveSec} s`;
  const isShared = existing?.presharedKey === wanted.presharedKey;
  return differs(
    link,
    field,
    describe(wanted),
    existing ? `${describe(existing)}${isShared ? "" : ", another preshared key"}` : null,
  );
}

function addressDifference(link: WireguardLink, { addresses }: Interface) {
  const wanted = new Set(link.addresses.map(addressKey));
  const existing = new Set(addresses.map(addressKey));
  return {
    missing: link.addresses.filter((it) => !existing.has(addressKey(it))),
    surplus: addresses.filter((it) => !wanted.has(addressKey(it))),
  };
}

const endpointOf = (device: Device, { publicKey }: WireguardPeer): string | null =>
  device.peers.find((it) => it.publicKey === publicKey)?.endpoint ?? null;

const differs = (link: WireguardLink, field: string, expected: string | null, actual: string | null): Drift => ({
  resource: link.interface,
  field,
  expected,
  actual,
});

const hex = (mark: number): string => `0x${(mark >>> 0).toString(16)}`;
