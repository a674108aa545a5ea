import type { NetworkInterface } from "@portcullis/contract/subsystems/interfaces";
import type { SetupState, SuggestionReason } from "@portcullis/contract/subsystems/setup";
import { dynamicAddress, freeAddress, ownAddress } from "./lan-network.ts";

/** What the configuration file says; undefined where it leaves the default, which says nothing about this machine. */
export interface Configured {
  readonly wan: string | undefined;
  readonly lan: string | undefined;
  readonly lanAddress: string | undefined;
}

const usableKinds: readonly NetworkInterface["kind"][] = ["ethernet", "wifi", "bridge", "vlan"];

/** Whether an interface can be the uplink or the LAN. A port of a bridge or a bond has no traffic of its own. */
export const isUsable = ({ kind, role, master }: NetworkInterface): boolean =>
  usableKinds.includes(kind) && role !== "tunnel" && role !== "bridge member" && master === null;

/** The likeliest roles, each with its reason. */
export function suggest(interfaces: readonly NetworkInterface[], configured: Configured): SetupState["suggestion"] {
  const usable = interfaces.filter(isUsable);
  const wan = suggestWan(usable, configured.wan);
  const lan = suggestLan(
    usable.filter(({ name }) => name !== wan.interface),
    configured.lan,
  );
  const link = usable.find(({ name }) => name === lan.interface);
  const kept = lan.interface === configured.lan ? configured.lanAddress : undefined;
  if (link === undefined) return { wan, lan, lan_address: null, dhcp: false };
  return { wan, lan, lan_address: addressFor(link, interfaces, kept), dhcp: !hasOwn(link, kept) };
}

/** The address that the gateway would set on it. `kept`: the one that it sets already; empty: none. */
export function addressFor(
  link: NetworkInterface,
  interfaces: readonly NetworkInterface[],
  kept: string | undefined,
): string | null {
  if (kept) return kept;
  return hasOwn(link, kept) ? null : (freeAddress(link.name, interfaces) ?? null);
}

const hasOwn = (link: NetworkInterface, kept: string | undefined): boolean =>
  ownAddress({ ...link, addresses: link.addresses.filter((it) => it !== kept) }) !== undefined;

interface Proposal {
  readonly interface: string | null;
  readonly reason: SuggestionReason;
}

function suggestWan(usable: readonly NetworkInterface[], configured: string | undefined): Proposal {
  return (
    first("configured", usable, ({ name }) => name === configured) ??
    first("default_route", usable, ({ default_gateway_v4: hop }) => hop !== null) ??
    first("default_route", usable, ({ default_gateway_v6: hop }) => hop !== null) ??
    first("address", usable, (it) => dynamicAddress(it) !== undefined) ??
    first("link", usable, ({ carrier }) => carrier) ??
    first("first", usable, () => true) ??
    none
  );
}

/** A wireless interface is the last choice: it is a LAN only as an access point. */
function suggestLan(others: readonly NetworkInterface[], configured: string | undefined): Proposal {
  const given = first("configured", others, ({ name }) => name === configured);
  const inside = others.filter((it) => it.default_gateway_v4 === null && it.default_gateway_v6 === null);
  const [wired, all] = [inside.filter(({ kind }) => kind !== "wifi"), inside];
  if (given !== undefined) return given;
  if (all.length === 1) return { interface: all[0]!.name, reason: "only_other" };
  return (
    first("address", wired, (it) => ownAddress(it) !== undefined) ??
    first("link", wired, (it) => it.carrier && dynamicAddress(it) === undefined) ??
    first("first", wired, () => true) ??
    first("first", all, () => true) ??
    none
  );
}

const none: Proposal = { interface: null, reason: "none" };

function first(
  reason: SuggestionReason,
  interfaces: readonly NetworkInterface[],
  suits: (it: NetworkInterface) => boolean,
): Proposal | undefined {
  const found = interfaces.find(suits);
  return found && { interface: found.name, reason };
}
