import { linux } from "../daemon/src/system/system.ts";
import type { Host } from "./namespaces.ts";

/**
 * Stops the monitor processes of the daemon on this host that have this word in their command line, until disposed of.
 */
export async function pauseMonitors(host: Host, word: "monitor" | "neigh"): Promise<Disposable> {
  const processes = (await host.run("ip", "netns", "pids", host.namespace)).trim().split("\n").map(Number);
  const monitors = processes.filter((id) => linux.readText(`/proc/${id}/cmdline`)?.split("\0").includes(word));
  if (monitors.length === 0) throw new Error(`No process monitors ${word}`);
  for (const id of monitors) process.kill(id, "SIGSTOP");
  return {
    [Symbol.dispose]: () => {
      for (const id of monitors) process.kill(id, "SIGCONT");
    },
  };
}
