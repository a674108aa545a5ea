import type { System } from "../../system/system.ts";
import type { Engine } from "../engine.ts";

/** Kernel setting → value. */
export type Settings = Readonly<Record<string, string>>;

/** The kernel settings the gateway depends on. */
export function sysctl(system: System): Engine<Settings, Settings, readonly [string, string]> {
  return {
    name: "sysctl",
    observe: async () => {
      const text = await system.run("sysctl", [
        "-a",
        "--pattern",
        "^net\\.(ipv4\\.ip_forward|ipv6\\.conf\\.all\\.forwarding|ipv4\\.conf\\..+\\.(rp_filter|accept_local))$",
      ]);
      return Object.fromEntries(
        text
          .trim()
          .split("\n")
          .map((line) => line.split(" = ") as [string, string]),
      );
    },
    changes: (desired, actual) => Object.entries(desired).filter(([key, value]) => actual[key] !== value),
    drift: (changes, actual) =>
      changes.map(([key, expected]) => ({ resource: key, field: "value", expected, actual: actual[key] ?? null })),
    apply: async (changes) => {
      // -e: an interface may have gone since it was seen, and its settings with it.
      await system.run("sysctl", ["-e", "-q", "-w", ...changes.map(([key, value]) => `${key}=${value}`)]);
    },
  };
}
