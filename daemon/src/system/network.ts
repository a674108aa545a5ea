import type { System } from "./system.ts";

/** An interface of this machine. */
export interface NetworkLink {
  readonly name: string;
  /** Administratively up, and with somebody at the other end as far as the driver can tell. */
  readonly up: boolean;
  readonly vlan?: number;
}

/** The interfaces there are now, read from /sys: no privilege, no process. */
export function readLinks(system: System): NetworkLink[] {
  return system.list("/sys/class/net").map((name) => {
    const state = system.readText(`/sys/class/net/${name}/operstate`)?.trim();
    const vlan = /\.(\d{1,4})$/.exec(name)?.[1];
    // Tunnels and loopback do not know whether anybody listens and say "unknown".
    return { name, up: state === "up" || state === "unknown", ...(vlan !== undefined && { vlan: Number(vlan) }) };
  });
}
