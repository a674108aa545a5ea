import { once } from "node:events";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import type { Host } from "./namespaces.ts";

/** A script on a host of the lab that answers each request with one line. */
export interface Script {
  readonly pid: number;
  readonly request: (line: string) => Promise<string>;
  /** For a line that is answered only after another one. */
  send(word: string): void;
}

export async function startScript(host: Host, script: string, ...args: string[]): Promise<Script> {
  const child = host.start("python3", resolve(script), ...args);
  const lines = createInterface({ input: child.stdout! });
  const complaints: string[] = [];
  child.stdin!.on("error", () => {}); // A script that has ended is noticed by the answer that does not come.
  child.stderr!.on("data", (chunk: Buffer) => complaints.push(chunk.toString()));
  const failed = once(child, "exit").then(() => {
    throw new Error(`${script} ended: ${complaints.join("")}`);
  });
  failed.catch(() => {}); // It ends with the lab; a failure only while a caller waits for an answer.
  const answer = async () => ((await Promise.race([once(lines, "line"), failed])) as [string])[0];
  const send = (word: string) => void child.stdin!.write(`${word}\n`);
  await answer();
  let turn: Promise<unknown> = Promise.resolve();
  return {
    pid: child.pid!,
    send,
    // One request at a time: two at once would both take the first line as their answer.
    request: (line) => {
      const mine = turn.then(() => {
        send(line);
        return answer();
      });
      turn = mine.catch(() => {}); // The caller gets the error.
      return mine;
    },
  };
}
