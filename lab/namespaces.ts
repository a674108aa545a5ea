import { execFile, execFileSync, spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { promisify } from "node:util";
import { clearLeftLabs, labPrefix } from "./leftovers.ts";

const execute = promisify(execFile);

// Where versions of Python are managed, its name is that of a script that looks for the right one, for a third of a second
// each time. A lab starts hundreds, and calls the right one by its path.
const python = execFileSync("python3", ["-c", "import sys; print(sys.executable)"], { encoding: "utf8" }).trim();

/** One host of the lab: a network namespace of its own. */
export interface Host {
  readonly name: string;
  readonly namespace: string;
  /** Runs a program inside to its end. */
  run(command: string, ...args: string[]): Promise<string>;
  /** Starts a program inside; it ends with the lab. */
  start(command: string, ...args: string[]): ChildProcess;
  /** Processes of a user inside, oldest first. The same user may be at work in a lab beside this one. */
  processesOf(userId: number): Promise<readonly string[]>;
}

export interface Lab {
  host(name: string): Promise<Host>;
  /** A cable between two hosts, each end with its interface name and addresses. */
  cable(a: End, b: End): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

interface End {
  readonly host: Host;
  readonly device: string;
  readonly addresses: readonly string[];
  readonly mac?: string;
}

/**
 * Hosts on one machine. Names are unique, so that labs can run side by side; everything is gone at the end, also after a
 * failure. What a test that was killed could not take away is taken away by the next one.
 */
export function openLab(): Lab {
  clearLeftLabs();
  const prefix = labPrefix(process.pid, randomBytes(3).toString("hex"));
  const namespaces: string[] = [];
  const children: { readonly child: ChildProcess; readonly ended: Promise<unknown> }[] = [];

  async function host(name: string): Promise<Host> {
    const namespace = `${prefix}-${name}`;
    await execute("ip", ["netns", "add", namespace]);
    namespaces.push(namespace);
    await execute("ip", ["-n", namespace, "link", "set", "lo", "up"]);
    // Link-local addresses would be looked for among the neighbours first, and everything that needs them would wait.
    await execute("ip", ["netns", "exec", namespace, "sysctl", "-qw", "net.ipv6.conf.default.accept_dad=0"]);
    const inside = (command: string, args: string[]) => [
      "netns",
      "exec",
      namespace,
      command === "python3" ? python : command,
      ...args,
    ];
    return {
      name,
      namespace,
      run: async (command, ...args) =>
        (await execute("ip", inside(command, args), { timeout: 300_000, maxBuffer: 1 << 26 })).stdout,
      start: (command, ...args) => {
        const child = spawn("ip", inside(command, args), { stdio: ["pipe", "pipe", "pipe"], detached: true });
        children.push({ child, ended: once(child, "exit") });
        return child;
      },
      processesOf: async (userId) => {
        const words = inside("sh", ["-c", `pgrep --ns $$ --nslist net -U ${userId} || test $? = 1`]);
        return (await execute("ip", words)).stdout.split("\n").filter((it) => it !== "");
      },
    };
  }

  async function cable(a: End, b: End): Promise<void> {
    const [here, there] = [`${prefix}-${a.host.name}`, `${prefix}-${b.host.name}`];
    await execute("ip", [
      "-n",
      here,
      "link",
      "add",
      a.device,
      "type",
      "veth",
      "peer",
      "name",
      b.device,
      "netns",
      there,
    ]);
    for (const [namespace, { device, addresses, mac }] of [[here, a] as const, [there, b] as const]) {
      if (mac !== undefined) await execute("ip", ["-n", namespace, "link", "set", device, "address", mac]);
      for (const address of addresses)
        await execute("ip", ["-n", namespace, "address", "add", address, "dev", device, "nodad"]);
      await execute("ip", ["-n", namespace, "link", "set", device, "up"]);
    }
  }

  return {
    host,
    cable,
    [Symbol.asyncDispose]: async () => {
      for (const { child, ended } of children) {
        if (child.exitCode === null && child.signalCode === null) endGroup(child);
        await ended;
      }
      for (const namespace of namespaces) await execute("ip", ["netns", "del", namespace]);
    },
  };
}

/** Its whole group, so that what it started ends with it. One that ends this very moment is no failure. */
function endGroup({ pid }: ChildProcess): void {
  try {
    process.kill(-pid!, "SIGKILL");
  } catch (error) {
    if ((error as { code?: string }).code !== "ESRCH") throw error;
  }
}
