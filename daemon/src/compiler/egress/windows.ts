import { parseNetwork } from "../../net/addresses.ts";
import type { AddressKeys, Window } from "../../engines/nftables/nftables.model.ts";
import type { Facts } from "../input/facts.ts";
import type { Intent, IntentDevice, IntentPolicy, IntentWindow } from "../input/intent.ts";
import { vlanOf } from "../input/vlans.ts";
import { disjointRanges, rangeKey } from "../policy/address-ranges.ts";

/**
 * What the policies of each schedule match, whether they are in force now or wait: when its period ends, other policies decide
 * about no other packets. A packet that another policy decides in both periods is among them, too.
 */
export function windowsOf({ windows = [], devices, network }: Intent, facts: Facts): readonly Window[] {
  if (windows.length === 0) return [];
  const byId = new Map(devices.map((it) => [it.id, it]));
  return windows.map((window) => windowOf(window, byId, network, facts));
}

function windowOf(
  { scheduleId, fromMs, untilMs, untilUptimeSec, policies }: IntentWindow,
  byId: ReadonlyMap<string, IntentDevice>,
  network: Intent["network"],
  facts: Facts,
): Window {
  const senders = [...new Set(policies.flatMap((policy) => devicesOf(policy, byId)))];
  const valuesOf = (type: IntentPolicy["sourceType"]) =>
    policies.filter(({ sourceType }) => sourceType === type).map(({ sourceValue }) => sourceValue);
  const isEverywhere = policies.some(({ sourceType }) => sourceType === "all");
  const [named, vlans] = [valuesOf("interface"), valuesOf("vlan")];
  return {
    fromSec: fromMs / 1000,
    untilSec: untilMs / 1000,
    untilUptimeSec,
    cause: `schedule ${scheduleId}`,
    macs: senders.flatMap(({ mac }) => mac ?? []),
    interfaces: network.lan.filter(
      (name) => isEverywhere || named.includes(name) || vlans.includes(String(vlanOf(name, network, facts))),
    ),
    from: addressKeys([...valuesOf("subnet"), ...senders.flatMap(({ mac, ips }) => (mac === null ? ips : []))]),
    to: addressKeys(valuesOf("destination")),
  };
}

function devicesOf({ sourceType, sourceValue }: IntentPolicy, byId: ReadonlyMap<string, IntentDevice>): IntentDevice[] {
  if (sourceType === "device") return [byId.get(sourceValue)].filter((it) => it !== undefined);
  if (sourceType !== "device_group") return [];
  return [...byId.values()].filter(({ groupIds }) => groupIds.includes(sourceValue));
}

function addressKeys(texts: readonly string[]): AddressKeys {
  const networks = texts.flatMap((text) => parseNetwork(text) ?? []).map((network) => ({ network, rank: 0 }));
  const keysOf = (family: 4 | 6) =>
    disjointRanges(networks.filter(({ network }) => network.family === family)).map(({ first, last }) =>
      rangeKey(first, last, family),
    );
  return { v4: keysOf(4), v6: keysOf(6) };
}
