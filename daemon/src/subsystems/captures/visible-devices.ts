import type { NetworkInterface } from "@portcullis/contract/subsystems/interfaces";

export type CaptureInterface = Pick<NetworkInterface, "name" | "role" | "master" | "parent">;

/**
 * Whether devices have their own MAC addresses in all frames of an interface. Below an uplink they have not: the gateway has replaced
 * the addresses of what leaves by it, also where a LAN uses the same port.
 */
export function showsDevices(device: string, all: readonly CaptureInterface[]): boolean {
  const role = all.find(({ name }) => name === device)?.role;
  return role !== undefined && rolesOfDevices.includes(role) && !isBelowUplink(device, all);
}

function isBelowUplink(device: string, all: readonly CaptureInterface[]): boolean {
  // A set that is extended while it is read, because the kernel's interfaces may be a loop for a moment.
  const names = new Set([device]);
  for (const below of names) {
    const master = all.find(({ name }) => name === below)?.master;
    for (const { name, parent, role } of all) {
      if (parent !== below && master !== name) continue;
      if (role === "uplink") return true;
      names.add(name);
    }
  }
  return false;
}

const rolesOfDevices: readonly NetworkInterface["role"][] = ["lan", "bridge", "bridge member", "trunk"];
