import type { SourceType } from "./subsystems/routing.ts";

/** From the most to the least specific: among equal priorities the more specific source is evaluated first. */
export const specificity: readonly SourceType[] = [
  "device",
  "device_group",
  "domain",
  "destination",
  "subnet",
  "vlan",
  "interface",
  "all",
];
