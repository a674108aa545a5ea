import type { System } from "../../system/system.ts";
import type { Engine } from "../engine.ts";

/** Kernel setting → value. */
export type Settings = Readonly<Record<string, string>>;

/** The kernel settings the gateway depends on. */
export function sysctl(system: System): Engine<Settings, Settings, readonly [string, string]> {
  return {
    name: "sysctl",
    // Read where the kernel shows them: `sysctl -a` walks through every setting there is, a tenth of a second each time.
    observe: async () => Object.fromEntries(settingsOf(system)),
    changes: (desired, actual) => Object.entries(desired).filter(([key, value]) => actual[key] !== value),
    drift: (changes, actual) =>
      changes.map(([key, expected]) => ({ resource: key, field: "value", expected, actual: actual[key] ?? null })),
    apply: async (changes) => {
      await system.run("sysctl", ["-q", "-w", ...changes.map(([key, value]) => `${key}=${value}`)]);
    },
  };
}

/** Those that are there; an interface that goes away takes its own along. */
function settingsOf(system: System): [string, string][] {
  const interfaces = system.list(pathOf("net.ipv4.conf")).map((name) => name.replaceAll(".", "/"));
  const keys = [
    "net.ipv4.ip_forward",
    "net.ipv6.conf.all.forwarding",
    ...interfaces.map((name) => `net.ipv4.conf.${name}.rp_filter`),
  ];
  return keys.flatMap((key): [string, string][] => {
    const value = system.readText(pathOf(key));
    return value === undefined ? [] : [[key, value.trim()]];
  });
}

/** In a setting's name a slash stands for a dot of its parts' names. */
const pathOf = (key: string): string =>
  `/proc/sys/${key
    .split(".")
    .map((part) => part.replaceAll("/", "."))
    .join("/")}`;
