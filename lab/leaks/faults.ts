import type { Fault } from "./fault.ts";
import { daemonFaults } from "./faults-daemon.ts";
import { deviceFaults } from "./faults-devices.ts";
import { kernelFaults } from "./faults-kernel.ts";
import { nameFaults } from "./faults-names.ts";
import { tunnelFaults } from "./faults-tunnels.ts";
import { uplinkFaults } from "./faults-uplinks.ts";

/** Every fault that can be done without a boot, in the order of the list. */
export const faults: readonly Fault[] = [
  ...daemonFaults,
  ...deviceFaults,
  ...kernelFaults,
  ...nameFaults,
  ...tunnelFaults,
  ...uplinkFaults,
].toSorted((a, b) => a.number - b.number);
