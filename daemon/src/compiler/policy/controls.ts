import { because } from "@portcullis/contract/reason";
import { type Address, contains, formatAddress, parseAddress, parseNetwork } from "../../net/addresses.ts";
import { type Control, controls as allControls } from "@portcullis/contract/privacy-controls";
import { controlBits, type Controls, type ControlledSender } from "../../engines/nftables/nftables.model.ts";
import { encryptedResolvers } from "./encrypted-resolvers.ts";
import type { Intent, IntentDevice } from "../input/intent.ts";
import type { Outcome } from "./outcome.ts";
import type { Packet } from "./packet.ts";

/** The controls that are on, as bits: by MAC, by address for devices without one, and for unknown devices. */
export interface ControlTables {
  readonly byMac: ReadonlyMap<string, number>;
  readonly byAddress: ReadonlyMap<string, number>;
  readonly others: number;
  /** Whether the gateway runs a resolver. */
  readonly isAnswering: boolean;
}

export function controlTables({ devices, controlsOfUnknown = [], dns }: Intent): ControlTables {
  const byMac = new Map<string, number>();
  const byAddress = new Map<string, number>();
  for (const device of devices) {
    const on = bitsOf(device.controls ?? []);
    if (device.mac !== null) byMac.set(device.mac, (byMac.get(device.mac) ?? 0) | on);
    else for (const key of addressesOf(device)) byAddress.set(key, (byAddress.get(key) ?? 0) | on);
  }
  return { byMac, byAddress, others: bitsOf(controlsOfUnknown), isAnswering: dns !== null };
}

const bitsOf = (controls: readonly Control[]): number =>
  controls.reduce((bits, control) => bits | controlBits[control], 0);

const addressesOf = ({ ips }: IntentDevice): string[] =>
  ips.flatMap((text) => {
    const address = parseAddress(text);
    return address ? [formatAddress(address)] : [];
  });

/** The same tables by the type of their key. While they are equal, the result is the identical object. */
export function controlKeys(): (tables: ControlTables) => Controls {
  let last: Controls | undefined;
  return ({ byMac, byAddress, others }) => {
    // Devices with the controls of unknown devices are left out, unless one may use an address that another is known by.
    const addressed = [...byAddress].filter(([, on]) => on !== others).map(([key, on]) => ({ key, on }));
    const isSpared = addressed.length === 0;
    const mac: ControlledSender[] = [];
    for (const [key, on] of byMac) if (!isSpared || on !== others) mac.push({ key, on });
    const next = {
      mac,
      v4: addressed.filter(({ key }) => !key.includes(":")),
      v6: addressed.filter(({ key }) => key.includes(":")),
      others,
      resolvers: resolverAddresses,
    };
    if (!last || !isSame(last, next)) last = next;
    return last;
  };
}

const isSame = (a: Controls, b: Controls): boolean =>
  a.others === b.others && isSameList(a.mac, b.mac) && isSameList(a.v4, b.v4) && isSameList(a.v6, b.v6);

const isSameList = (a: readonly ControlledSender[], b: readonly ControlledSender[]): boolean =>
  a.length === b.length && a.every(({ key, on }, index) => key === b[index]!.key && on === b[index]!.on);

const listed = encryptedResolvers.flatMap(({ addresses }) => addresses);
const resolverAddresses: Controls["resolvers"] = {
  v4: listed.filter((it) => !it.includes(":")),
  v6: listed.filter((it) => it.includes(":")),
};

/** The first control that applies to a packet, if any. `isLocal`: it goes to another LAN of the gateway. */
export function controlAt(
  packet: Packet,
  tables: ControlTables,
  isLocal: boolean,
): { readonly control: Control; readonly outcome: Outcome } | undefined {
  const on = controlsAt(packet, tables);
  const control = allControls.find((it) => (on & controlBits[it]) !== 0 && isAbout(it, packet, isLocal));
  return control && { control, outcome: outcomeOf(control, tables) };
}

/** Of the device with the packet's MAC, else of the one with its address, else of unknown devices. */
function controlsAt({ mac, source }: Packet, { byMac, byAddress, others }: ControlTables): number {
  const known = mac === undefined ? undefined : byMac.get(mac);
  if (known !== undefined || !source || byAddress.size === 0) return known ?? others;
  return byAddress.get(formatAddress(source)) ?? others;
}

function isAbout(control: Control, { source, destination, protocol, port = 0 }: Packet, isLocal: boolean): boolean {
  const isConnected = protocol === "tcp" || protocol === "udp";
  if (control === "force_dns") return isConnected && port === 53;
  if (isLocal) return false;
  switch (control) {
    case "block_doh":
      return isConnected && (port === 853 || (port === 443 && destination !== undefined && isListed(destination)));
    case "block_webrtc":
      return isConnected && (port === 3478 || port === 5349 || (port >= 19302 && port <= 19309));
    case "block_ipv6":
      return (destination ?? source)?.family === 6;
  }
}

const listedNetworks = listed.flatMap((text) => parseNetwork(text) ?? []);
const isListed = (address: Address): boolean => listedNetworks.some((network) => contains(network, address));

function outcomeOf(control: Control, { isAnswering }: ControlTables): Outcome {
  switch (control) {
    case "force_dns":
      return isAnswering
        ? { kind: "local", reason: because("dns_forced") }
        : { kind: "block", reason: because("dns_forced_without_resolver") };
    case "block_doh":
      return { kind: "block", reason: because("doh_blocked") };
    case "block_ipv6":
      return { kind: "block", reason: because("ipv6_blocked") };
    case "block_webrtc":
      return { kind: "block", reason: because("webrtc_blocked") };
  }
}
