import type { NetworkInterface } from "@portcullis/contract/subsystems/interfaces";
import type { DhcpRange } from "@portcullis/contract/subsystems/dhcp";
import type { SetupRequest } from "@portcullis/contract/subsystems/setup";
import { contains, parseAddress } from "../../net/addresses.ts";
import { refuseField } from "../resources.ts";
import { dynamicAddress, freeAddress, overlapping, ownAddress, parseLanAddress, rangeIn } from "./lan-network.ts";
import { isUsable } from "./suggestion.ts";

/** The keys of the configuration file that the setup writes. */
export interface FileSettings {
  readonly "network.wan_iface": string;
  readonly "network.lan_iface": string;
  readonly "network.lan_address": string;
  readonly "network.default_egress": "direct" | "block";
  readonly "network.uplink_ports": readonly number[];
  readonly "dataplane.enabled": boolean;
  readonly "listen.api_addr": string;
}

interface Machine {
  readonly interfaces: readonly NetworkInterface[];
  readonly settings: FileSettings;
  readonly ranges: readonly DhcpRange[];
}

export interface Planned {
  readonly settings: FileSettings;
  /** With the length of its network. */
  readonly lanAddress: string;
  readonly setBy: "gateway" | "system";
  /** All ranges of the DHCP server. */
  readonly ranges: readonly DhcpRange[];
}

/** What a request leads to on this machine, or a refusal that says what would be accepted. */
export function planSetup(request: SetupRequest, { interfaces, settings, ranges }: Machine): Planned {
  const link = chosenLan(request, interfaces);
  const before = settings["network.lan_iface"] === link.name ? settings["network.lan_address"] : "";
  const { address, setBy } = addressOfLan(request, link, before, interfaces);
  const host = parseLanAddress(address)!;
  const other = overlapping(host.network, link.name, interfaces);
  if (other) {
    const field = setBy === "gateway" ? "lan_address" : "lan";
    const free = freeAddress(link.name, interfaces);
    const advice = free === undefined ? "" : `; ${free} is free`;
    refuseField(
      field,
      `must be in a network of its own: ${address} overlaps ${other.address} of ${other.name}${advice}`,
    );
  }
  return {
    settings: {
      "network.wan_iface": request.wan,
      "network.lan_iface": link.name,
      "network.lan_address": setBy === "gateway" ? address : "",
      "network.default_egress": request.unknown ?? settings["network.default_egress"],
      "network.uplink_ports": request.uplink_ports ?? settings["network.uplink_ports"],
      "dataplane.enabled": true,
      "listen.api_addr": request.web_on_lan === true ? onAllAddresses(settings) : settings["listen.api_addr"],
    },
    lanAddress: address,
    setBy,
    ranges: rangesAfter(ranges, link.name, host, request.dhcp ?? (setBy === "gateway" ? true : undefined)),
  };
}

function chosenLan({ wan, lan }: SetupRequest, interfaces: readonly NetworkInterface[]): NetworkInterface {
  const usable = interfaces.filter(isUsable);
  const names = (of: readonly NetworkInterface[]) => of.map(({ name }) => name).join(", ") || "none";
  for (const [field, name] of Object.entries({ wan, lan }))
    if (!usable.some((it) => it.name === name))
      refuseField(field, `must be one of the interfaces of this machine: ${names(usable)}; not ${name}`);
  const others = usable.filter((it) => it.name !== wan && gatewayOf(it) === null);
  if (lan === wan) refuseField("lan", `must be another interface than wan: ${names(others)}; not ${lan}`);
  const link = usable.find(({ name }) => name === lan)!;
  const hop = gatewayOf(link);
  if (hop !== null)
    refuseField("lan", `must not be the interface of the default route (by ${hop}): ${names(others)}; not ${lan}`);
  const leased = dynamicAddress(link);
  if (leased !== undefined)
    refuseField(
      "lan",
      `must not get its address from another DHCP server: ${lan} has ${leased}. Remove the DHCP client of this interface first`,
    );
  return link;
}

const gatewayOf = ({ default_gateway_v4: v4, default_gateway_v6: v6 }: NetworkInterface): string | null => v4 ?? v6;

/** `before`: the address of this interface that the gateway sets already; "" for none. */
function addressOfLan(
  { lan_address: requested }: SetupRequest,
  link: NetworkInterface,
  before: string,
  interfaces: readonly NetworkInterface[],
): { readonly address: string; readonly setBy: Planned["setBy"] } {
  const own = ownAddress({ ...link, addresses: link.addresses.filter((it) => it !== before) });
  const wanted = requested === undefined && own === undefined ? before : (requested ?? "");
  if (wanted === "") {
    if (own !== undefined) return { address: own, setBy: "system" };
    const free = freeAddress(link.name, interfaces);
    const advice = free === undefined ? "" : `, such as ${free}`;
    return refuseField("lan_address", `must be given: ${link.name} has no private address of its own${advice}`);
  }
  if (parseLanAddress(wanted) === undefined)
    refuseField(
      "lan_address",
      `must be a private IPv4 address with the length of its network, 8 to 29, such as 192.168.50.1/24; not ${wanted}`,
    );
  if (own === wanted) return { address: own, setBy: "system" };
  if (own !== undefined)
    refuseField(
      "lan_address",
      `must be null or ${own}, which another program of the machine has set on ${link.name}; not ${wanted}`,
    );
  if (link.role === "bridge")
    refuseField(
      "lan_address",
      `must be null: ${link.name} is a bridge of the gateway, whose addresses are set with it`,
    );
  return { address: wanted, setBy: "gateway" };
}

function onAllAddresses({ "listen.api_addr": address }: FileSettings): string {
  return `0.0.0.0:${address.slice(address.lastIndexOf(":") + 1)}`;
}

/** `leases`: undefined keeps what is configured for the interface, as far as it is in the network. */
function rangesAfter(
  ranges: readonly DhcpRange[],
  name: string,
  host: NonNullable<ReturnType<typeof parseLanAddress>>,
  leases: boolean | undefined,
): readonly DhcpRange[] {
  const others = ranges.filter((it) => it.interface !== name);
  const isInside = ({ first, last }: DhcpRange) =>
    [first, last].every((it) => contains(host.network, parseAddress(it)!));
  const before = ranges.find((it) => it.interface === name && isInside(it));
  if (leases === false || (leases === undefined && before === undefined)) return others;
  return [...others, before ?? { interface: name, ...rangeIn(host), lease_sec: 43_200 }];
}
