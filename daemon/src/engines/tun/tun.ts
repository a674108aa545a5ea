import type { System } from "../../system/system.ts";
import { isTunnelUser, tunDevice } from "./tun.model.ts";

/**
 * Devices of tunnels. They are made for the user of one program and outlast it: while the program is being started again,
 * packets that are routed into the device are dropped there.
 */
export function tunDevices(system: System) {
  /** The user a device was made for; nothing if it was not made here. */
  function ownerOf(name: string): number | undefined {
    try {
      const text = system.readText(`/sys/class/net/${name}/owner`)?.trim();
      return text !== undefined && isTunnelUser(Number(text)) ? Number(text) : undefined;
    } catch {
      return undefined; // It is being removed.
    }
  }
  let privileges: readonly string[] | undefined;
  return {
    ownerOf,
    make: async (name: string, userId: number): Promise<void> => {
      if (ownerOf(name) === userId) return;
      await system.run("ip", ["tuntap", "add", "dev", name, "mode", "tun", "user", String(userId)]);
    },
    remove: async (name: string): Promise<void> => {
      if (ownerOf(name) !== undefined) await system.run("ip", ["link", "del", "dev", name]).catch(() => {}); // Removed by others.
    },
    /** udev lets every user open the device file. Where it does not run, a program needs the privilege to open it all the same. */
    privileges: async (): Promise<readonly string[]> =>
      (privileges ??= await system.run("stat", ["-c", "%a", tunDevice]).then(
        (mode) => (/[67]\s*$/.test(mode) ? [] : ["dac_override"]),
        () => [],
      )),
  };
}
