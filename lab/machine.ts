import { execFile, spawn } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { until } from "../testing/deadline.ts";
import { temporaryFolder } from "../testing/folder.ts";
import type { Host } from "./namespaces.ts";

const execute = promisify(execFile);

/** A machine with systemd as process 1, in the network of a host of the lab. */
export interface Machine extends AsyncDisposable {
  /** Runs a command to its end, as root; its output includes that on standard error. */
  run(command: string): Promise<string>;
  /** Starts a command in a terminal of its own, as an administrator types it. */
  type(command: string): TypedCommand;
}

export interface TypedCommand {
  /** Resolves when the output since the last call contains the text. */
  shows(text: string): Promise<void>;
  /** `\u0003` is Ctrl-C. */
  send(keys: string): void;
  /** The exit status. */
  readonly ended: Promise<number>;
  readonly output: () => string;
}

/**
 * Boots it. Its root file system is `system`, by default that of this machine, with all changes in memory; `shared` is its
 * folder /shared.
 */
export async function bootMachine(host: Host, shared: string, system = "/"): Promise<Machine> {
  const folder = temporaryFolder();
  const root = join(folder.path, "machine");
  mkdirSync(root);
  const outer = host.start("bash", resolve("lab/boot-machine.sh"), host.namespace, root, shared, system);
  const complaints: string[] = [];
  for (const stream of [outer.stdout!, outer.stderr!])
    stream.on("data", (chunk: Buffer) => complaints.push(chunk.toString()));
  let processId: number | undefined;
  const entered = (): string[] => {
    const inside = [
      "nsenter",
      "--target",
      String(processId),
      "--mount",
      "--uts",
      "--ipc",
      "--net",
      "--pid",
      "--cgroup",
      "--root",
      "--wd",
    ];
    const clean = ["env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "TERM=dumb", "LC_ALL=C.UTF-8"];
    return [...inside, ...clean, "DEBIAN_FRONTEND=noninteractive"];
  };
  const run = async (command: string): Promise<string> => {
    // With a socket as standard input bash reads ~/.bashrc, which here is the file of the machine that runs the tests.
    const words = [...entered(), "bash", "--norc", "-c", `{ ${command}\n} 2>&1`];
    const done = await execute(words[0]!, words.slice(1), { maxBuffer: 1 << 26 }).catch(
      (error: { readonly stdout: string }) => {
        throw new Error(`${command}\n${error.stdout.slice(-2000)}`);
      },
    );
    return done.stdout;
  };
  await until("process 1 of the machine runs", async () => {
    if (outer.exitCode !== null) throw new Error(`The machine did not boot: ${complaints.join("")}`);
    processId = systemdBelow(outer.pid!);
    return processId !== undefined;
  });
  await until("the machine has booted", async () => {
    const state = await run("systemctl is-system-running || true").catch(() => "");
    return /^(?:running|degraded)/.test(state);
  });
  return {
    run,
    type: (command) =>
      typed([...entered(), "script", "--quiet", "--return", "--flush", "--command", command, "/dev/null"]),
    [Symbol.asyncDispose]: async () => {
      // SIGRTMIN+4 powers systemd off.
      await execute("kill", ["-s", "RTMIN+4", String(processId)]).catch(() => undefined);
      await until("the machine is off", async () => outer.exitCode !== null || outer.signalCode !== null);
      folder[Symbol.dispose]();
    },
  };
}

/** script gives the command a terminal, and passes on what is written to its standard input. */
function typed(words: readonly string[]): TypedCommand {
  const child = spawn(words[0]!, words.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
  let [output, read] = ["", 0];
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  return {
    shows: async (text) => {
      await until(`the terminal shows ${JSON.stringify(text)}`, async () => {
        if (output.includes(text, read)) return true;
        if (child.exitCode !== null) throw new Error(`The command ended: ${output}`);
        return false;
      });
      read = output.indexOf(text, read) + text.length;
    },
    send: (keys) => void child.stdin.write(keys),
    ended: new Promise((resolve) => child.once("close", (code) => resolve(code ?? -1))),
    output: () => output,
  };
}

/** The descendant that is systemd: the children of each process are listed by the kernel. */
function systemdBelow(processId: number): number | undefined {
  const comm = (id: number): string => readFileSync(`/proc/${id}/comm`, "utf8").trim();
  try {
    if (comm(processId) === "systemd") return processId;
    const children = readFileSync(`/proc/${processId}/task/${processId}/children`, "utf8").trim();
    for (const child of children === "" ? [] : children.split(" ")) {
      const found = systemdBelow(Number(child));
      if (found !== undefined) return found;
    }
  } catch {
    // A process has ended meanwhile.
  }
  return undefined;
}
