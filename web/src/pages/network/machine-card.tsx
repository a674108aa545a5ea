import type { Platform } from "@portcullis/contract/subsystems/status";
import { useQuery } from "@tanstack/react-query";
import { Facts } from "../../ui/facts.tsx";
import { LoadedCard } from "../../ui/page.tsx";
import { reading } from "../../api/reading.ts";
import { useFormat, useWords } from "../../i18n/i18n.tsx";

/** Hardware, usage, and whether an upgrade could start. */
export function MachineCard() {
  const { network: say } = useWords();
  const query = useQuery({ ...reading("status", "platform"), refetchInterval: 10_000 });
  return (
    <LoadedCard title={say.machine} query={query} lines={6}>
      {(platform) => <Machine {...platform} />}
    </LoadedCard>
  );
}

function Machine({ hostname, os, kernel, architecture, runtime, cpu, memory, disk, uptime_sec, upgrade }: Platform) {
  const { network: say } = useWords();
  const format = useFormat();
  const used = (free: number, total: number) => (total === 0 ? 0 : 1 - free / total);
  return (
    <Facts
      all={[
        [
          say.load,
          <Metered share={cpu.load_1min / Math.max(cpu.cores, 1)}>
            {say.loadOf(format.number(cpu.load_1min, 2), cpu.cores)}
          </Metered>,
        ],
        [
          say.memory,
          <Metered share={used(memory.available_bytes, memory.total_bytes)}>
            {say.freeOf(format.bytes(memory.available_bytes), format.bytes(memory.total_bytes))}
            <span className="quiet fine"> · {say.daemonUses(format.bytes(memory.daemon_bytes))}</span>
          </Metered>,
        ],
        [
          say.disk,
          <Metered share={used(disk.free_bytes, disk.total_bytes)}>
            {say.freeOf(format.bytes(disk.free_bytes), format.bytes(disk.total_bytes))}
            <span className="quiet fine"> · {say.stateUses(format.bytes(disk.state_bytes))}</span>
          </Metered>,
        ],
        [say.host, hostname],
        [say.system, os],
        [say.linux, `${kernel} ${architecture}`],
        [say.processor, cpu.model],
        [say.runtime, runtime],
        [say.running, format.duration(uptime_sec)],
        [say.upgrade, upgrade.ready ? say.upgradeReady : [say.upgradeBlocked, upgrade.blockers.join("; ")].join(" ")],
      ]}
    />
  );
}

/** The bar repeats the text. */
function Metered({ share, children }: { readonly share: number; readonly children: React.ReactNode }) {
  return (
    <>
      {children}
      <div className="network-meter" aria-hidden="true">
        <div style={{ width: `${Math.min(100, Math.max(0, share * 100))}%` }} />
      </div>
    </>
  );
}
