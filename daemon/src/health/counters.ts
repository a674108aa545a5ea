import type { System } from "../system/system.ts";

/** State and counters of an interface, from sysfs: without a process and without privilege. */
export interface Counters {
  /** Another number means another interface of the same name. */
  readonly index: number;
  readonly up: boolean;
  readonly sent: number;
  readonly received: number;
}

/** undefined if there is no such interface, or it is being removed. */
export function readCounters(system: System, device: string): Counters | undefined {
  const folder = `/sys/class/net/${device}`;
  try {
    const [index, state, sent, received] = [
      "ifindex",
      "operstate",
      "statistics/tx_packets",
      "statistics/rx_packets",
    ].map((name) => system.readText(`${folder}/${name}`)?.trim());
    if (index === undefined || sent === undefined || received === undefined) return undefined;
    // Tunnel devices have no link detection and report "unknown".
    const up = state === "up" || state === "unknown";
    return { index: Number(index), up, sent: Number(sent), received: Number(received) };
  } catch {
    return undefined; // While an interface is being removed, sysfs fails with other errors than "no such file".
  }
}
