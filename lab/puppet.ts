import { resolve } from "node:path";
import { createInterface } from "node:readline";
import type { Host } from "./namespaces.ts";

/** A script on a host of the lab that answers each line it is told with one line of JSON. */
export interface Puppet {
  tell(line: string): Promise<unknown>;
}

/** Resolves once the script says that it is ready. It ends with the lab. */
export async function startPuppet(host: Host, script: string, ...args: string[]): Promise<Puppet> {
  const child = host.start("python3", resolve("lab", script), ...args);
  const complaints: string[] = [];
  child.stderr!.on("data", (chunk: Buffer) => complaints.push(chunk.toString()));
  child.stdin!.on("error", () => {}); // A script that has ended is noticed by the answer that does not come.
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  async function answer(): Promise<unknown> {
    const { value, done } = await lines.next();
    if (done === true) throw new Error(`${script} ended: ${complaints.join("")}`);
    return JSON.parse(value) as unknown;
  }
  await answer();
  return {
    tell: (line) => {
      child.stdin!.write(`${line}\n`);
      return answer();
    },
  };
}
