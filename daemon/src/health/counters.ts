import type { System } from "../system/system.ts";

/** What the kernel says of an interface, without a process and without privilege. */
export interface Counters {
  /** Another number means another interface, whatever its name. */
  readonly index: number;
  readonly up: boolean;
  readonly sent: number;
  readonly received: number;
}

/** Nothing when there is no such interface, or it goes this very moment. */
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
    // Tunnels do not know whether anybody is at the other end and say "unknown".
    const up = state === "up" || state === "unknown";
    return { index: Number(index), up, sent: Number(sent), received: Number(received) };
  } catch {
    return undefined; // sysfs answers with other errors than "no such file" while an interface is being removed.
  }
}
