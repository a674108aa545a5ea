import { execFile } from "node:child_process";
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
  const run = async (command: string): Promise<string> => {
    const inside = [
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
    const words = [...inside, ...clean, "DEBIAN_FRONTEND=noninteractive", "bash", "-c", `{ ${command}\n} 2>&1`];
    const done = await execute("nsenter", words, { maxBuffer: 1 << 26 }).catch((error: { readonly stdout: string }) => {
      throw new Error(`${command}\n${error.stdout.slice(-2000)}`);
    });
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
    [Symbol.asyncDispose]: async () => {
      // SIGRTMIN+4 powers systemd off.
      await execute("kill", ["-s", "RTMIN+4", String(processId)]).catch(() => undefined);
      await until("the machine is off", async () => outer.exitCode !== null || outer.signalCode !== null);
      folder[Symbol.dispose]();
    },
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
