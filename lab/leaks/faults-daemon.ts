import { execFile } from "node:child_process";
import { readdirSync, renameSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { allFaults } from "../faulty.ts";
import { type Fault, holds, shows } from "./fault.ts";
import { leaveBy } from "./faults-tunnels.ts";
import type { Street } from "./topology.ts";

/** Starts the daemon again, unless it lives: a fault that did not happen has killed nobody. */
export async function revive({ resolving: { house } }: Street): Promise<void> {
  if (!isAlive(house.processId())) await house.revive();
}

/** The daemon itself dies, is stopped, does not come up, or is asked for what it cannot do. */
export const daemonFaults: readonly Fault[] = [
  {
    number: 2,
    name: "SIGKILL of the daemon",
    cites: ["T-stopping-1", "T-stopping-2"],
    asks: true,
    strike: async ({ resolving: { house } }) => {
      const processId = house.processId();
      await house.kill();
      return isGone(processId, "its process was gone");
    },
    heal: revive,
  },
  {
    number: 3,
    name: "restart of the daemon",
    cites: ["T-stopping-1", "T-upgrading-1"],
    asks: true,
    strike: async ({ resolving: { house } }) => {
      const before = house.processId();
      await house.stop();
      await house.revive();
      return holds(house.processId() !== before, "another process was the daemon afterwards");
    },
  },
  {
    number: 4,
    name: "stop of the daemon",
    cites: ["T-stopping-1", "T-stopping-2"],
    asks: true,
    strike: async ({ resolving: { house } }) => {
      const processId = house.processId();
      await house.stop();
      return isGone(processId, "its process had ended");
    },
    heal: revive,
  },
  {
    number: 5,
    name: "crash loop of the daemon",
    cites: ["T-stopping-1", "T-boot-2"],
    asks: true,
    strike: async ({ resolving: { house } }, random) => {
      await house.kill();
      const moments = Array.from({ length: 5 }, () => 150 + Math.floor(random() * 900));
      for (const afterMs of moments) await house.stumble(afterMs);
      return `it was killed ${moments.length} times while it started`;
    },
    heal: revive,
  },
  {
    number: 19,
    name: "apply fails half-way",
    cites: ["T-applying-2"],
    asks: true,
    strike: async (street) => {
      const enforced: boolean[] = [];
      for (const [place, fault] of allFaults.entries()) {
        // Something the kernel has never had: going back to what it has would need no load, and nothing would fail.
        await nobody(street, `half-way ${(changes += 1)}`, place);
        street.nft.fail(fault);
        enforced.push((await street.ok<Applied>("POST", "/routing/policies/apply")).enforced);
        await wait(200);
        street.nft.work();
      }
      return holds(!enforced.includes(true), `${enforced.length} applies failed, each in another way`);
    },
    heal: async (street) => {
      street.nft.work();
      await forgetNobodies(street);
    },
  },
  {
    number: 20,
    name: "100 consecutive reloads",
    cites: ["T-applying-1"],
    asks: true,
    strike: async (street) => {
      const generation = () => street.gateway.run("bash", "-c", "nft list ruleset | grep -oE '[0-9]{7}' | sort -u");
      const before = await generation();
      const { id } = await nobody(street, "reloads", 0);
      let enforced = 0;
      for (let left = 100; left > 0; left -= 1) {
        await street.ok("PUT", `/routing/policies/${id}`, { source_value: `10.79.0.${left}` });
        if ((await street.ok<Applied>("POST", "/routing/policies/apply")).enforced) enforced += 1;
      }
      return holds(enforced === 100 && (await generation()) !== before, "100 applies were enforced");
    },
    heal: forgetNobodies,
  },
  {
    number: 32,
    name: "disk full, and state unreadable, when the daemon starts",
    cites: ["T-degraded-8", "T-stopping-1"],
    asks: true,
    strike: async (street) => {
      const { house } = street.resolving;
      const { state } = house.folders;
      await house.kill();
      const database = readdirSync(state).filter((name) => name.startsWith("portcullis.db"));
      for (const name of database) renameSync(join(state, name), join(state, `kept-${name}`));
      writeFileSync(join(state, "portcullis.db"), "not a ledger at all\n".repeat(500));
      const unreadable = await comesUp(street);
      rmSync(join(state, "portcullis.db"));
      for (const name of database) renameSync(join(state, `kept-${name}`), join(state, name));
      await fillDisk(street);
      const full = statfsSync(state).bavail;
      await comesUp(street);
      return holds(
        !unreadable && full === 0,
        "it did not start with a broken ledger, and there was no block left on its disk",
      );
    },
    heal: async (street) => {
      await emptyDisk(street);
      await street.resolving.house.revive();
    },
  },
  {
    number: 33,
    name: "rollback during traffic",
    cites: ["T-applying-5"],
    asks: true,
    strike: async (street, random) => {
      const snapshots: string[] = [];
      for (const way of ["other", "chain"] as const) {
        await leaveBy(street, way);
        const [latest] = await street.ok<readonly { id: string }[]>("GET", "/snapshots?limit=1");
        snapshots.push(latest!.id);
      }
      for (const snapshot of [...snapshots, ...snapshots]) {
        await street.ok("POST", "/rollback", { snapshot });
        await wait(random() * 300);
      }
      return holds(new Set(snapshots).size === 2, "four rollbacks between two published states");
    },
    heal: (street) => leaveBy(street, "chain"),
  },
];

let changes = 0;
interface Applied {
  readonly enforced: boolean;
}

/** A policy for somebody who is not there. */
const nobody = (street: Street, name: string, place: number) =>
  street.ok("POST", "/routing/policies", {
    name: `nobody ${name}`,
    source_type: "subnet",
    source_value: `10.78.${place}.${changes % 250}`,
    priority: 90,
  });

async function forgetNobodies(street: Street): Promise<void> {
  const all = await street.ok<readonly { id: string; name: string }[]>("GET", "/routing/policies?limit=1000");
  for (const { id, name } of all) if (name.startsWith("nobody ")) await street.ok("DELETE", `/routing/policies/${id}`);
  await street.ok("POST", "/routing/policies/apply");
}

/** Whether a daemon comes to listen. One that does is killed again. */
async function comesUp({ resolving: { house } }: Street): Promise<boolean> {
  try {
    await house.revive();
  } catch {
    return false;
  }
  await house.kill();
  return true;
}

/** The state's folder is on a disk of its own from now on, on which nothing is free. */
async function fillDisk({ resolving: { house } }: Street): Promise<void> {
  const { state } = house.folders;
  const script = `set -e; mv ${state} ${state}.kept; mkdir ${state}
size=$(( $(du -sk ${state}.kept | cut -f1) + 256 ))
mount -t tmpfs -o size=\${size}k,mode=700 tmpfs ${state}; cp -a ${state}.kept/. ${state}/
dd if=/dev/zero of=${state}/filler bs=4k 2>/dev/null || true`;
  await onTheMachine("bash", ["-c", script]);
}

async function emptyDisk({ resolving: { house } }: Street): Promise<void> {
  const { state } = house.folders;
  await onTheMachine("bash", ["-c", `umount --lazy ${state}; rmdir ${state}; mv ${state}.kept ${state}`]);
}

/** Not inside the gateway: what a program mounts there, only that program sees. */
const onTheMachine = promisify(execFile);

/** The process that is asked about was started by an `ip` that has become it. */
const isGone = (processId: number, what: string) => shows(what, async () => !isAlive(processId));

function isAlive(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch {
    return false;
  }
}
