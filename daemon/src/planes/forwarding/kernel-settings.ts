import { join } from "node:path";
import { sysctl } from "../../engines/sysctl/sysctl.engine.ts";
import { pathOf, type Settings } from "../../engines/sysctl/sysctl.model.ts";
import type { System } from "../../system/system.ts";

const fileIn = (runFolder: string): string => join(runFolder, "kernel-settings.json");
/** Off, whatever it was before: without our rules, devices must not leave in the clear. */
const forwarding = ["net.ipv4.ip_forward", "net.ipv6.conf.all.forwarding"];

/**
 * Saves the kernel's settings before the gateway changes them, so that a tear-down can restore them. The run folder is the
 * right place: a boot resets the settings too. While our rules are loaded it is too late.
 */
export async function saveSettings(system: System, runFolder: string): Promise<void> {
  const file = fileIn(runFolder);
  if (system.readText(file) !== undefined) return;
  const tables = await system.run("nft", ["list", "tables"]);
  if (/^table inet portcullis$/m.test(tables)) return;
  system.writeAtomically(file, JSON.stringify(await sysctl(system).observe()), 0o600);
}

/** Stops forwarding, and returns the settings that it changed. */
export const stopForwarding = (system: System): Promise<string[]> =>
  set(system, Object.fromEntries(forwarding.map((key) => [key, "0"])));

/** Restores the saved settings, except forwarding. */
export async function restoreSettings(system: System, runFolder: string): Promise<string[]> {
  const file = fileIn(runFolder);
  const text = system.readText(file);
  if (text === undefined) return [];
  const before = Object.entries(JSON.parse(text) as Settings).filter(([key]) => !forwarding.includes(key));
  const restored = await set(system, Object.fromEntries(before));
  system.remove(file);
  return restored;
}

async function set(system: System, wanted: Settings): Promise<string[]> {
  const changes = Object.entries(wanted).filter(([key, value]) => {
    const now = system.readText(pathOf(key))?.trim();
    return now !== undefined && now !== value; // An interface may be gone, and its settings with it.
  });
  if (changes.length > 0)
    await system.run("sysctl", ["-e", "-q", "-w", ...changes.map(([key, value]) => `${key}=${value}`)]);
  return changes.map(([key, value]) => `setting ${key} = ${value}`);
}
