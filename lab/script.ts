import { once } from "node:events";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import type { Host } from "./namespaces.ts";

/** A program of the lab in a host. It rests until it is asked, and answers with one line. */
export interface Script {
  readonly pid: number;
  readonly request: (question: string) => Promise<string>;
  /** For what is only answered when something else is said. */
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
  failed.catch(() => {}); // It ends with the lab; only while somebody waits for an answer is that a failure.
  const answer = async () => ((await Promise.race([once(lines, "line"), failed])) as [string])[0];
  const send = (word: string) => void child.stdin!.write(`${word}\n`);
  await answer();
  let turn: Promise<unknown> = Promise.resolve();
  return {
    pid: child.pid!,
    send,
    // One request at a time: two at once would both take the first line as their answer.
    request: (question) => {
      const mine = turn.then(() => {
        send(question);
        return answer();
      });
      turn = mine.catch(() => {}); // The caller gets the error.
      return mine;
    },
  };
}
