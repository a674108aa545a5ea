import { linux, type System } from "../daemon/src/system/system.ts";
import type { Host } from "./namespaces.ts";

/** The interface to Linux, on a host of the lab. */
export const systemOn = (host: Pick<Host, "namespace">): System => ({
  ...linux,
  run: (command, args, options) => linux.run("ip", ["netns", "exec", host.namespace, command, ...args], options),
  launch: (command, args, options) => linux.launch("ip", ["netns", "exec", host.namespace, command, ...args], options),
});
