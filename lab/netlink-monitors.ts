import { linux } from "../daemon/src/system/system.ts";
import type { Host } from "./namespaces.ts";

/** Nobody tells the daemon on this host anything any more, as far as listeners with this word in their command would have. */
export async function pauseMonitors(host: Host, word: "monitor" | "neigh"): Promise<Disposable> {
  const processes = (await host.run("ip", "netns", "pids", host.namespace)).trim().split("\n").map(Number);
  const ears = processes.filter((id) => linux.readText(`/proc/${id}/cmdline`)?.split("\0").includes(word));
  if (ears.length === 0) throw new Error(`Nobody listens to ${word}`);
  for (const id of ears) process.kill(id, "SIGSTOP");
  return {
    [Symbol.dispose]: () => {
      for (const id of ears) process.kill(id, "SIGCONT");
    },
  };
}
