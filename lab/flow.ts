import { once } from "node:events";
import { createInterface } from "node:readline";
import { resolve } from "node:path";
import type { Host } from "./namespaces.ts";

/**
 * One long-lived flow, or a new connection for each request. A request returns the source address seen by the server,
 * "silence", or "reset".
 */
export interface Flow {
  request(): Promise<string>;
}

/** Answers UDP and TCP on addresses of a host. */
export async function startFlowServer(host: Host, port: number, addresses: readonly string[]): Promise<void> {
  const server = host.start("python3", resolve("lab/flow.py"), "serve", String(port), ...addresses);
  await once(createInterface({ input: server.stdout! }), "line");
}

/** Without an answer for `patienceSec` it is "silence". Where silence is expected often a shorter time saves it each time. */
export function openFlow(
  host: Host,
  kind: "udp" | "tcp" | "calls",
  address: string,
  port: number,
  patienceSec = 2,
): Flow {
  const caller = host.start("python3", resolve("lab/flow.py"), kind, address, String(port), String(patienceSec));
  const lines = createInterface({ input: caller.stdout! });
  return {
    request: async () => {
      const line = once(lines, "line") as Promise<[string]>;
      caller.stdin!.write("request\n");
      return (await line)[0];
    },
  };
}
