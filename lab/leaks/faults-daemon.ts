import { execFile } from "node:child_process";
import { readdirSync, renameSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { allFaults } from "../faulty.ts";
import { type Fault, holds, shows } from "./fault.ts";
import { leaveBy } from "./faults-tunnels.ts";
import type { LeakTopology } from "./topology.ts";

/** Starts the daemon again, unless it runs: a fault that did not happen has killed no daemon. */
export async function ensureDaemon({ dns: { topology } }: LeakTopology): Promise<void> {
  if (!isAlive(topology.processId())) await topology.restart();
}

/** The daemon is killed, stopped, does not start, or gets requests that it cannot fulfil. */
export const daemonFaults: readonly Fault[] = [
  {
    number: 2,
    name: "SIGKILL of the daemon",
    cites: ["T-stopping-1", "T-stopping-2"],
    needsDaemon: true,
    strike: async ({ dns: { topology } }) => {
      const processId = topology.processId();
      await topology.kill();
      return isGone(processId, "its process was gone");
    },
    heal: ensureDaemon,
  },
  {
    number: 3,
    name: "restart of the daemon",
    cites: ["T-stopping-1", "T-upgrading-1"],
    needsDaemon: true,
    strike: async ({ dns: { topology } }) => {
      const before = topology.processId();
      await topology.stop();
      await topology.restart();
      return holds(topology.processId() !== before, "another process was the daemon afterwards");
    },
  },
  {
    number: 4,
    name: "stop of the daemon",
    cites: ["T-stopping-1", "T-stopping-2"],
    needsDaemon: true,
    strike: async ({ dns: { topology } }) => {
      const processId = topology.processId();
      await topology.stop();
      return isGone(processId, "its process had ended");
    },
    heal: ensureDaemon,
  },
  {
    number: 5,
    name: "crash loop of the daemon",
    cites: ["T-stopping-1", "T-boot-2"],
    needsDaemon: true,
    strike: async ({ dns: { topology } }, random) => {
      await topology.kill();
      const moments = Array.from({ length: 5 }, () => 150 + Math.floor(random() * 900));
      for (const afterMs of moments) await topology.startAndKill(afterMs);
      return `it was killed ${moments.length} times while it started`;
    },
    heal: ensureDaemon,
  },
  {
    number: 19,
    name: "apply fails halfway",
    cites: ["T-applying-2"],
    needsDaemon: true,
    strike: async (topology) => {
      const enforced: boolean[] = [];
      for (const [index, fault] of allFaults.entries()) {
        // Something the kernel has never had: going back to what it has would need no load, and nothing would fail.
        await addUnusedPolicy(topology, `halfway ${(changes += 1)}`, index);
        topology.nft.fail(fault);
        enforced.push((await topology.ok<Applied>("POST", "/routing/policies/apply")).enforced);
        await wait(200);
        topology.nft.work();
      }
      return holds(!enforced.includes(true), `${enforced.length} applies failed, each for another reason`);
    },
    heal: async (topology) => {
      topology.nft.work();
      await deleteUnusedPolicies(topology);
    },
  },
  {
    number: 20,
    name: "100 consecutive reloads",
    cites: ["T-applying-1"],
    needsDaemon: true,
    strike: async (topology) => {
      const generation = () => topology.gateway.run("bash", "-c", "nft list ruleset | grep -oE '[0-9]{7}' | sort -u");
      const before = await generation();
      const { id } = await addUnusedPolicy(topology, "reloads", 0);
      let enforced = 0;
      for (let left = 100; left > 0; left -= 1) {
        await topology.ok("PUT", `/routing/policies/${id}`, { source_value: `10.79.0.${left}` });
        if ((await topology.ok<Applied>("POST", "/routing/policies/apply")).enforced) enforced += 1;
      }
      return holds(enforced === 100 && (await generation()) !== before, "100 applies were enforced");
    },
    heal: deleteUnusedPolicies,
  },
  {
    number: 32,
    name: "disk full, and state unreadable, when the daemon starts",
    cites: ["T-degraded-8", "T-stopping-1"],
    needsDaemon: true,
    strike: async (topology) => {
      const { topology: hopTopology } = topology.dns;
      const { state } = hopTopology.folders;
      await hopTopology.kill();
      const database = readdirSync(state).filter((name) => name.startsWith("portcullis.db"));
      for (const name of database) renameSync(join(state, name), join(state, `kept-${name}`));
      writeFileSync(join(state, "portcullis.db"), "not a ledger at all\n".repeat(500));
      const unreadable = await comesUp(topology);
      rmSync(join(state, "portcullis.db"));
      for (const name of database) renameSync(join(state, `kept-${name}`), join(state, name));
      await fillDisk(topology);
      const full = statfsSync(state).bavail;
      await comesUp(topology);
      return holds(
        !unreadable && full === 0,
        "it did not start with a broken ledger, and there was no block left on its disk",
      );
    },
    heal: async (topology) => {
      await emptyDisk(topology);
      await topology.dns.topology.restart();
    },
  },
  {
    number: 33,
    name: "rollback during traffic",
    cites: ["T-applying-5"],
    needsDaemon: true,
    strike: async (topology, random) => {
      const snapshots: string[] = [];
      for (const egress of ["other", "chain"] as const) {
        await leaveBy(topology, egress);
        const [latest] = await topology.ok<readonly { id: string }[]>("GET", "/snapshots?limit=1");
        snapshots.push(latest!.id);
      }
      for (const snapshot of [...snapshots, ...snapshots]) {
        await topology.ok("POST", "/rollback", { snapshot });
        await wait(random() * 300);
      }
      return holds(new Set(snapshots).size === 2, "four rollbacks between two published states");
    },
    heal: (topology) => leaveBy(topology, "chain"),
  },
];

let changes = 0;
interface Applied {
  readonly enforced: boolean;
}

/** A policy for an unused address. */
const addUnusedPolicy = (topology: LeakTopology, name: string, index: number) =>
  topology.ok("POST", "/routing/policies", {
    name: `unused ${name}`,
    source_type: "subnet",
    source_value: `10.78.${index}.${changes % 250}`,
    priority: 90,
  });

async function deleteUnusedPolicies(topology: LeakTopology): Promise<void> {
  const all = await topology.ok<readonly { id: string; name: string }[]>("GET", "/routing/policies?limit=1000");
  for (const { id, name } of all)
    if (name.startsWith("unused ")) await topology.ok("DELETE", `/routing/policies/${id}`);
  await topology.ok("POST", "/routing/policies/apply");
}

/** Whether a daemon comes to listen. One that does is killed again. */
async function comesUp({ dns: { topology } }: LeakTopology): Promise<boolean> {
  try {
    await topology.restart();
  } catch {
    return false;
  }
  await topology.kill();
  return true;
}

/** The state's folder is on a disk of its own from now on, on which nothing is free. */
async function fillDisk({ dns: { topology } }: LeakTopology): Promise<void> {
  const { state } = topology.folders;
  const script = `set -e; mv ${state} ${state}.kept; mkdir ${state}
size=$(( $(du -sk ${state}.kept | cut -f1) + 256 ))
mount -t tmpfs -o size=\${size}k,mode=700 tmpfs ${state}; cp -a ${state}.kept/. ${state}/
dd if=/dev/zero of=${state}/filler bs=4k 2>/dev/null || true`;
  await onTheMachine("bash", ["-c", script]);
}

async function emptyDisk({ dns: { topology } }: LeakTopology): Promise<void> {
  const { state } = topology.folders;
  await onTheMachine("bash", ["-c", `umount --lazy ${state}; rmdir ${state}; mv ${state}.kept ${state}`]);
}

/** Not inside the gateway: what a program mounts there, only that program sees. */
const onTheMachine = promisify(execFile);

/** `ip` started the process by exec, so the process id is the daemon's. */
const isGone = (processId: number, what: string) => shows(what, async () => !isAlive(processId));

function isAlive(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch {
    return false;
  }
}
