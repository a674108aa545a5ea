import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import type { ReadStream } from "node:tty";
import type { Terminal } from "./login.ts";
import type { ProgressLine } from "./progress.ts";

/** Reads from a terminal or a pipe. */
export const terminalOf = (input: NodeJS.ReadableStream, output: NodeJS.WritableStream): Terminal => ({
  readSecret: async (prompt) => {
    if (!isTerminal(input)) return text(input);
    output.write(prompt);
    const line = await readLine(input, silent);
    output.write("\n");
    return line;
  },
  confirm: async (prompt) => {
    if (!isTerminal(input)) return false;
    output.write(prompt);
    return (await readLine(input, output)).trim().toLowerCase() === "yes";
  },
});

/** A line that the next output overwrites. */
export const progressLine = (output: NodeJS.WritableStream): ProgressLine => ({
  show: (text) => void output.write(`\r\u001b[K${text}`),
  clear: () => void output.write("\r\u001b[K"),
});

const isTerminal = (input: NodeJS.ReadableStream): boolean => (input as Partial<ReadStream>).isTTY === true;

/** readline echoes input to its output; this stream drops it. */
const silent = new Writable({ write: (_chunk, _encoding, done) => done() });

async function readLine(input: NodeJS.ReadableStream, echo: NodeJS.WritableStream): Promise<string> {
  const reader = createInterface({ input, output: echo, terminal: true });
  try {
    return await reader.question("");
  } finally {
    reader.close();
  }
}
