import { noUsage, type Usage } from "../../ledger/traffic-rollup.ts";
import type { System } from "../../system/system.ts";

/** The kernel's counters of an interface. */
export interface InterfaceCounters {
  readonly name: string;
  /** An interface that is created again has another one. */
  readonly index: number;
  readonly sentBytes: number;
  readonly receivedBytes: number;
  readonly sentPackets: number;
  readonly receivedPackets: number;
}

export interface InterfaceMeter {
  /** What each interface transferred since it was read last. */
  read(names: readonly string[]): Map<string, Usage>;
  counted(): InterfaceCounters[];
}

/** Without `before`, what existing interfaces transferred until the first reading is not counted. */
export function interfaceMeter(
  system: Pick<System, "readText">,
  before?: readonly InterfaceCounters[],
): InterfaceMeter {
  const known = new Map(before?.map((it) => [it.name, it]));
  let isFirst = before === undefined;
  return {
    read: (names) => {
      const found = names.flatMap((name) => countersOf(system, name) ?? []);
      const usages = found.map((it) => [it.name, isFirst ? noUsage : usageSince(it, known.get(it.name))] as const);
      for (const it of found) known.set(it.name, it);
      isFirst = false;
      return new Map(usages);
    },
    counted: () => [...known.values()],
  };
}

/** Counters that begin again belong to another interface of this name. */
export function usageSince(now: InterfaceCounters, last: InterfaceCounters | undefined): Usage {
  const isSame =
    last?.index === now.index && now.sentBytes >= last.sentBytes && now.receivedBytes >= last.receivedBytes;
  const from = isSame ? last : { sentBytes: 0, receivedBytes: 0, sentPackets: 0, receivedPackets: 0 };
  return {
    sentBytes: now.sentBytes - from.sentBytes,
    receivedBytes: now.receivedBytes - from.receivedBytes,
    sentPackets: now.sentPackets - from.sentPackets,
    receivedPackets: now.receivedPackets - from.receivedPackets,
    connections: 0,
  };
}

function countersOf(system: Pick<System, "readText">, name: string): InterfaceCounters | undefined {
  const read = (file: string) => Number(system.readText(`/sys/class/net/${name}/${file}`) ?? Number.NaN);
  try {
    const found = {
      name,
      index: read("ifindex"),
      sentBytes: read("statistics/tx_bytes"),
      receivedBytes: read("statistics/rx_bytes"),
      sentPackets: read("statistics/tx_packets"),
      receivedPackets: read("statistics/rx_packets"),
    };
    return Object.values(found).some(Number.isNaN) ? undefined : found;
  } catch {
    return undefined; // The interface was removed while it was read.
  }
}
