import type { System } from "../../system/system.ts";
import { establishedByPort } from "./sockets.parse.ts";

/** How many TCP connections a port of the gateway has now. Read once for any number of ports. */
export function connections(system: System): (port: number) => number {
  const families = ["tcp", "tcp6"].map((name) => establishedByPort(system.readText(`/proc/net/${name}`) ?? ""));
  return (port) => families.reduce((sum, counts) => sum + (counts.get(port) ?? 0), 0);
}
