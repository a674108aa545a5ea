import { readFileSync, statSync } from "node:fs";
import type { Host } from "./namespaces.ts";

/** What the kernel lets the only process of a user do. */
export async function privilegesOf(host: Host, userId: number) {
  const [processId, ...more] = await host.processesOf(userId);
  if (processId === undefined || more.length > 0) throw new Error(`User ${userId} has ${more.length} other processes`);
  const status = readFileSync(`/proc/${processId}/status`, "utf8");
  const field = (name: string) => new RegExp(`^${name}:\\s+(\\S+)`, "m").exec(status)?.[1];
  return {
    capabilities: field("CapEff"),
    bounding: field("CapBnd"),
    seccomp: field("Seccomp"),
    user: field("Uid") === String(userId),
  };
}

/** NET_RAW, to mark packets; and DAC_OVERRIDE where only root may open the device of tunnels. */
const isOpenToAll = (statSync("/dev/net/tun").mode & 0o006) === 0o006;
const capabilities = isOpenToAll ? "0000000000002000" : "0000000000002002";
export const sandboxed = { capabilities, bounding: capabilities, seccomp: "2", user: true } as const;
