import { companion } from "./script.ts";
import type { Host } from "./namespaces.ts";

/** A script on a host of the lab that answers each line it is told with one line of JSON. */
export interface Puppet {
  tell(line: string): Promise<unknown>;
}

/** Resolves once the script says that it is ready. It ends with the lab. */
export async function startPuppet(host: Host, script: string, ...args: string[]): Promise<Puppet> {
  const { ask } = await companion(host, `lab/${script}`, ...args);
  return { tell: async (line) => JSON.parse(await ask(line)) as unknown };
}
