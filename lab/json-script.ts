import { startScript } from "./script.ts";
import type { Host } from "./namespaces.ts";

/** A script on a host of the lab that answers each line with one line of JSON. */
export interface JsonScript {
  request(line: string): Promise<unknown>;
}

/** Resolves once the script is ready. It ends with the lab. */
export async function startJsonScript(host: Host, script: string, ...args: string[]): Promise<JsonScript> {
  const { request } = await startScript(host, `lab/${script}`, ...args);
  return { request: async (line) => JSON.parse(await request(line)) as unknown };
}
