import { readFile } from "node:fs/promises";
import type { System } from "./system.ts";

/** An interface of this machine. */
export interface NetworkLink {
  readonly name: string;
  /** Administratively up, and with a carrier as far as the driver knows. */
  readonly up: boolean;
  readonly vlan?: number;
}

/** The interfaces there are now, read from /sys: no privilege, no process. */
export function readLinks(system: System): NetworkLink[] {
  return system.list("/sys/class/net").map((name) => {
    const state = system.readText(`/sys/class/net/${name}/operstate`)?.trim();
    const vlan = /\.(\d{1,4})$/.exec(name)?.[1];
    // Tunnels and loopback have no carrier detection and report "unknown".
    return { name, up: state === "up" || state === "unknown", ...(vlan !== undefined && { vlan: Number(vlan) }) };
  });
}

/** What the driver knows of an interface. */
export interface LinkHardware {
  readonly isWireless: boolean;
  readonly speedMbps: number | null;
}

/** Asynchronous, because the kernel may have to query the hardware, which takes time. */
export async function readHardware(name: string, folder = "/sys/class/net"): Promise<LinkHardware> {
  const said = (about: string) =>
    // An interface that is down has no speed and answers with an error; one that is gone has nothing.
    readFile(`${folder}/${name}/${about}`, "utf8").catch(() => "");
  const [speed, event] = await Promise.all([said("speed"), said("uevent")]);
  const mbps = Number.parseInt(speed, 10);
  return { isWireless: /^DEVTYPE=wlan$/m.test(event), speedMbps: mbps > 0 ? mbps : null };
}
