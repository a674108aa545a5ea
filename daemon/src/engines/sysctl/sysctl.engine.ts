import type { System } from "../../system/system.ts";
import type { Engine } from "../engine.ts";

/** Kernel setting → value. */
export type Settings = Readonly<Record<string, string>>;

/** Every setting we ever write. */
const ours = ["net.ipv4.ip_forward", "net.ipv6.conf.all.forwarding", "net.ipv4.conf.all.rp_filter"];

/** The kernel settings the gateway depends on. */
export function sysctl(system: System): Engine<Settings, Settings, readonly [string, string]> {
  return {
    name: "sysctl",
    observe: async () =>
      Object.fromEntries(
        ours.map((key) => [key, system.readText(`/proc/sys/${key.replaceAll(".", "/")}`)?.trim() ?? ""]),
      ),
    changes: (desired, actual) => Object.entries(desired).filter(([key, value]) => actual[key] !== value),
    drift: (changes, actual) =>
      changes.map(([key, expected]) => ({ resource: key, field: "value", expected, actual: actual[key] ?? null })),
    apply: async (changes) => {
      await system.run("sysctl", ["-q", "-w", ...changes.map(([key, value]) => `${key}=${value}`)]);
    },
  };
}
