import { randomBytes } from "node:crypto";
import type { Announce } from "@portcullis/contract/events";
import type { Device } from "@portcullis/contract/subsystems/devices";
import type { LeakMonitorSettings } from "@portcullis/contract/subsystems/privacy";
import type { Dataplane } from "../../planes/forwarding/forwarding.plane.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { AttemptCounter } from "../../leakcheck/attempts.machine.ts";
import { type Monitor, openMonitor } from "../../leakcheck/monitor.ts";
import { storedPqMode } from "../../subsystems/pq-crypto/stored-mode.ts";
import type { System } from "../../system/system.ts";

interface Needs {
  readonly system: System;
  readonly ledger: Ledger;
  readonly dataplane: Pick<Dataplane, "latest" | "whenIdle" | "lookAgain" | "drift" | "ours">;
  readonly settings: () => LeakMonitorSettings;
  readonly attempts: () => Promise<readonly AttemptCounter[]>;
  readonly announce: Announce;
  readonly now: () => Date;
  readonly warn: (message: string, error: unknown) => void;
}

export interface GatewayLeakMonitor extends Monitor {
  /** Receives all events of the gateway: some of them trigger a leak check. */
  readonly onEvent: Announce;
}

/** The leak monitor on this gateway. */
export function openLeakMonitor({
  system,
  ledger,
  dataplane,
  settings,
  attempts,
  announce,
  now,
  warn,
}: Needs): GatewayLeakMonitor {
  const devices = ledger.staged<Device>("device");
  const monitor = openMonitor({
    system,
    compiled: dataplane.latest,
    settled: dataplane.whenIdle,
    reconcile: dataplane.lookAgain,
    repaired: dataplane.drift,
    ours: dataplane.ours,
    settings,
    pqMode: storedPqMode(ledger),
    attempts,
    nameOf: (id) => devices.get(id)?.name ?? id,
    devicesByMac: () => new Map(devices.all().flatMap((it) => (it.mac === null ? [] : [[it.mac, it]]))),
    random: () => randomBytes(4).readUInt32BE(),
    announce,
    now,
    warn,
  });
  return {
    ...monitor,
    onEvent: (name) => {
      if (name === "tunnel.state" || name === "uplink.switched" || name === "drift.detected") monitor.changed();
    },
  };
}
