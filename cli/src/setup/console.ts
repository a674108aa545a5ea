import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface, type Interface } from "node:readline";

/** The user pressed Ctrl-C, or closed standard input. */
export class Cancelled extends Error {
  override readonly name = "Cancelled";
}

/** What the setup needs of the terminal and of the machine it runs on. */
export interface SetupConsole {
  /** Whether a prompt can be answered. */
  readonly isTerminal: boolean;
  readonly say: (text: string) => void;
  /** One line; rejects with `Cancelled`. */
  readonly ask: (prompt: string) => Promise<string>;
  /** After the prompts. Rejects with `Cancelled` at once if the user cancels meanwhile, or has before. */
  readonly pause: (ms: number) => Promise<void>;
  /** After it an earlier cancellation does not count any more. */
  readonly settle: () => void;
  /** Whether the unit of early boot was enabled; undefined where there is none, or not for this user. */
  readonly enableBootGuard: () => Promise<boolean | undefined>;
  /** The address of this machine by which the user is connected with SSH. */
  readonly connectedBy: string | undefined;
}

interface Needs {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  /** Whether the gateway is this machine. */
  readonly isLocal: boolean;
  /** SSH_CONNECTION: address and port of the client, and of this machine. */
  readonly connection: string | undefined;
}

const guard = "portcullis-guard.service";

export function setupConsole({ input, output, isLocal, connection }: Needs): SetupConsole & { close: () => void } {
  let cancelling = new AbortController();
  let reader: Interface | undefined;
  let onLine = () => {};
  const lines: string[] = [];
  const cancel = () => cancelling.abort();
  process.on("SIGINT", cancel);
  process.on("SIGTERM", cancel);

  /** One for all prompts: what is typed ahead is not lost. */
  function openReader(): Interface {
    if (reader) return reader;
    const opened = createInterface({ input, output, terminal: true });
    opened.on("line", (line) => {
      lines.push(line.trim());
      onLine();
    });
    opened.on("SIGINT", cancel);
    opened.on("close", () => reader && cancel());
    return (reader = opened);
  }
  function closeReader(): void {
    const opened = reader;
    reader = undefined;
    opened?.close();
  }
  /** Resolves when `start` calls back; rejects when the user cancels. */
  async function unlessCancelled(start: (done: () => void) => void): Promise<void> {
    const { signal } = cancelling;
    await new Promise<void>((resolve, reject) => {
      const stop = () => reject(new Cancelled());
      if (signal.aborted) return stop();
      signal.addEventListener("abort", stop, { once: true });
      start(() => {
        signal.removeEventListener("abort", stop);
        resolve();
      });
    });
  }

  return {
    isTerminal: input.isTTY && output.isTTY,
    say: (text) => void output.write(text),
    ask: async (prompt) => {
      const opened = openReader();
      opened.setPrompt(prompt);
      opened.prompt();
      try {
        await unlessCancelled((done) => (lines.length > 0 ? done() : (onLine = done)));
      } catch (error) {
        closeReader();
        output.write("\n");
        throw error;
      }
      return lines.shift()!;
    },
    pause: async (ms) => {
      closeReader();
      let timer: NodeJS.Timeout | undefined;
      await unlessCancelled((done) => (timer = setTimeout(done, ms))).finally(() => clearTimeout(timer));
    },
    settle: () => void (cancelling = new AbortController()),
    enableBootGuard: async () => {
      const isPossible = isLocal && process.getuid?.() === 0 && existsSync("/run/systemd/system");
      if (!isPossible || !existsSync(`/usr/lib/systemd/system/${guard}`)) return undefined;
      return new Promise(
        (resolve) => void execFile("systemctl", ["enable", guard], (error) => resolve(error === null)),
      );
    },
    connectedBy: isLocal ? connection?.split(" ")[2] : undefined,
    close: () => {
      closeReader();
      process.off("SIGINT", cancel);
      process.off("SIGTERM", cancel);
    },
  };
}
