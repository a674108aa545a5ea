import type { Platform } from "@portcullis/contract/subsystems/status";
import { useQuery } from "@tanstack/react-query";
import { Facts } from "../../ui/facts.tsx";
import { LoadedCard } from "../../ui/page.tsx";
import { apiQuery } from "../../api/queries.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { reasonsIn, useReason } from "../../i18n/reason.ts";

/** Hardware, usage, and whether an upgrade could start. */
export function MachineCard() {
  const { network: t } = useTranslation();
  const query = useQuery({ ...apiQuery("status", "platform"), refetchInterval: 10_000 });
  return (
    <LoadedCard title={t.machine} query={query} lines={6}>
      {(platform) => <Machine {...platform} />}
    </LoadedCard>
  );
}

function Machine({ hostname, os, kernel, architecture, runtime, cpu, memory, disk, uptime_sec, upgrade }: Platform) {
  const { network: t } = useTranslation();
  const why = useReason();
  const format = useFormat();
  const used = (free: number, total: number) => (total === 0 ? 0 : 1 - free / total);
  return (
    <Facts
      all={[
        [
          t.load,
          <Metered share={cpu.load_1min / Math.max(cpu.cores, 1)}>
            {t.loadOf(format.number(cpu.load_1min, 2), cpu.cores)}
          </Metered>,
        ],
        [
          t.memory,
          <Metered share={used(memory.available_bytes, memory.total_bytes)}>
            {t.freeOf(format.bytes(memory.available_bytes), format.bytes(memory.total_bytes))}
            <span className="quiet fine"> · {t.daemonUses(format.bytes(memory.daemon_bytes))}</span>
          </Metered>,
        ],
        [
          t.disk,
          <Metered share={used(disk.free_bytes, disk.total_bytes)}>
            {t.freeOf(format.bytes(disk.free_bytes), format.bytes(disk.total_bytes))}
            <span className="quiet fine"> · {t.stateUses(format.bytes(disk.state_bytes))}</span>
          </Metered>,
        ],
        [t.host, hostname],
        [t.system, os],
        [t.linux, `${kernel} ${architecture}`],
        [t.processor, cpu.model],
        [t.runtime, runtime],
        [t.running, format.duration(uptime_sec)],
        [
          t.upgrade,
          upgrade.ready
            ? t.upgradeReady
            : [t.upgradeBlocked, reasonsIn("blockers", upgrade).map(why.line).join("; ")].join(" "),
        ],
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
