import type { Fault } from "./fault.ts";
import { daemonFaults } from "./faults-daemon.ts";
import { deviceFaults } from "./faults-devices.ts";
import { kernelFaults } from "./faults-kernel.ts";
import { dnsFaults } from "./faults-dns.ts";
import { tunnelFaults } from "./faults-tunnels.ts";
import { uplinkFaults } from "./faults-uplinks.ts";

/** The faults that need no boot, by what they break. */
export const families: readonly (readonly Fault[])[] = [
  daemonFaults,
  deviceFaults,
  kernelFaults,
  dnsFaults,
  tunnelFaults,
  uplinkFaults,
];

/** All of them, in the order of their numbers. */
export const faults: readonly Fault[] = families.flat().toSorted((a, b) => a.number - b.number);
