import type { PrivacyClass, TrustClass } from "@portcullis/contract/subsystems/classes";
import type { Device } from "@portcullis/contract/subsystems/devices";
import { privacyIn } from "../../compiler/dns/filter-policy.ts";
import { linkTypes, summarize } from "../../engines/tcpdump/packet.parse.ts";
import type { Ledger } from "../../ledger/ledger.ts";

/** Devices whose log level is none: nothing about them is stored, also by captures. */
export function unloggedDevices(ledger: Pick<Ledger, "staged" | "revision">) {
  let known: { readonly revision: number; readonly senders: Senders } | undefined;
  function senders(): Senders {
    const revision = ledger.revision();
    if (known?.revision !== revision) known = { revision, senders: sendersOf(unloggedIn(ledger)) };
    return known.senders;
  }
  return {
    exist: () => senders().count > 0,
    matcher: (): Matcher | undefined => {
      const now = senders();
      return now.count === 0 ? undefined : matcherOf(now);
    },
  };
}

/** Whether a packet is from or to one of the devices, as far as its addresses show. */
export type Matcher = (data: Buffer, linkType: number) => boolean;

export interface Senders {
  readonly count: number;
  /** As numbers of 48 bits. */
  readonly macs: ReadonlySet<number>;
  /** Of devices without a MAC address on file. */
  readonly addresses: ReadonlySet<string>;
}

export const sendersOf = (devices: readonly Pick<Device, "mac" | "ips">[]): Senders => ({
  count: devices.length,
  macs: new Set(devices.flatMap(({ mac }) => (mac === null ? [] : [Number.parseInt(mac.replaceAll(":", ""), 16)]))),
  addresses: new Set(devices.flatMap(({ mac, ips }) => (mac === null ? ips : []))),
});

export function matcherOf({ macs, addresses }: Senders): Matcher {
  return (data, linkType) => {
    if (linkType === linkTypes.ethernet && data.length >= 12)
      if (macs.has(data.readUIntBE(0, 6)) || macs.has(data.readUIntBE(6, 6))) return true;
    if (addresses.size === 0) return false;
    const { source, destination } = summarize(data, linkType);
    return [source, destination].some((it) => it !== null && addresses.has(it));
  };
}

function unloggedIn(ledger: Pick<Ledger, "staged">): Device[] {
  const all = <R extends { readonly id: string }>(kind: string) => ledger.staged<R>(kind).all();
  const privacyOf = privacyIn({
    privacy_class: all<PrivacyClass>("privacy_class"),
    trust_class: all<TrustClass>("trust_class"),
  });
  return all<Device>("device").filter((it) => privacyOf(it).log === "none");
}
