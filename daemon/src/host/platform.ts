import { because, explainedAll } from "@portcullis/contract/reason";
import type { Platform } from "@portcullis/contract/subsystems/status";
import { readMachine } from "../system/machine.ts";
import type { System } from "../system/system.ts";

/** An upgrade writes a new program and a copy of the state beside the old ones. */
const upgradeNeedsBytes = 512 << 20;

/** The machine in the fields of the contract, and whether an upgrade could start now. */
export async function platformOf(system: System, stateFolder: string, changePending: boolean): Promise<Platform> {
  const { cpu, memory, uptimeSec, ...names } = readMachine(system);
  const { totalBytes, freeBytes } = system.diskSpace(stateFolder);
  const [load_1min, load_5min, load_15min] = cpu.load;
  const blockers = [
    ...(changePending ? [because("upgrade_change_pending")] : []),
    ...(freeBytes < upgradeNeedsBytes ? [because("upgrade_disk_full", { mebibytes: upgradeNeedsBytes >> 20 })] : []),
  ];
  return {
    ...names,
    cpu: { model: cpu.model, cores: cpu.cores, load_1min, load_5min, load_15min },
    memory: {
      total_bytes: memory.totalBytes,
      available_bytes: memory.availableBytes,
      daemon_bytes: memory.daemonBytes,
    },
    disk: {
      path: stateFolder,
      total_bytes: totalBytes,
      free_bytes: freeBytes,
      state_bytes: system.folderBytes(stateFolder),
    },
    uptime_sec: uptimeSec,
    upgrade: { ready: blockers.length === 0, ...explainedAll("blockers", blockers) },
  };
}
