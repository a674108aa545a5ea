import type { System } from "../../system/system.ts";
import type { Engine } from "../engine.ts";
import {
  acceptLocalKey,
  accountingKey,
  arpAnnounceKey,
  arpIgnoreKey,
  icmpIntervalKey,
  leastLimits,
  pathOf,
  reversePathKey,
  sendRedirectsKey,
  type Settings,
} from "./sysctl.model.ts";

/** The kernel settings the gateway depends on. */
export function sysctl(system: System): Engine<Settings, Settings, readonly [string, string]> {
  return {
    name: "sysctl",
    observe: async () => {
      const interfaces = system.list("/proc/sys/net/ipv4/conf");
      const keys = [
        "net.ipv4.ip_forward",
        "net.ipv6.conf.all.forwarding",
        acceptLocalKey,
        icmpIntervalKey,
        accountingKey,
        ...Object.keys(leastLimits),
        ...interfaces.flatMap((name) => [
          reversePathKey(name),
          arpIgnoreKey(name),
          arpAnnounceKey(name),
          sendRedirectsKey(name),
        ]),
      ];
      return Object.fromEntries(keys.map((key) => [key, system.readText(pathOf(key))?.trim() ?? ""]));
    },
    changes: (desired, actual) => [
      ...Object.entries(desired).filter(([key, value]) => actual[key] !== value),
      ...Object.entries(leastLimits).filter(([key, least]) => isBelow(actual[key], least)),
    ],
    drift: (changes, actual) =>
      changes.map(([key, expected]) => ({ resource: key, field: "value", expected, actual: actual[key] ?? null })),
    apply: async (changes) => {
      // -e: an interface may have gone since it was seen, and its settings with it.
      await system.run("sysctl", ["-e", "-q", "-w", ...changes.map(([key, value]) => `${key}=${value}`)]);
    },
  };
}

/** A setting that does not exist is not. */
const isBelow = (actual: string | undefined, least: string): boolean =>
  actual !== undefined && actual !== "" && Number(actual) < Number(least);
