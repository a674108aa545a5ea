import type { Reason } from "@portcullis/contract/reason";
import type { Announce } from "@portcullis/contract/events";
import type { Bootstrap } from "../../config/keys.ts";
import { captiveHandlers } from "./captive-handlers.ts";
import type { Dataplane } from "../../planes/forwarding/forwarding.plane.ts";
import { attemptsNow } from "../../engines/nftables/steering/attempts.ts";
import { openLeakMonitor } from "./leak-monitor.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { privacyHandlers } from "./privacy-handlers.ts";
import type { privacyClassService } from "../../subsystems/classes/classes.service.ts";
import type { Devices } from "../../subsystems/devices/devices.service.ts";
import type { Exceptions } from "../../subsystems/exceptions/exceptions.service.ts";
import { leakMonitorSettings } from "../../subsystems/privacy/leak-monitor.settings.ts";
import type { DevicePostures } from "../../subsystems/privacy/status.ts";
import type { System } from "../../system/system.ts";

interface Needs {
  readonly bootstrap: Pick<Bootstrap, "captive" | "dns" | "dataplane">;
  readonly ledger: Ledger;
  readonly system: System;
  readonly dataplane: Dataplane;
  readonly devices: Pick<Devices, "update">;
  readonly classes: Pick<ReturnType<typeof privacyClassService>, "update">;
  readonly exceptions: Pick<Exceptions, "create">;
  readonly postures: () => Promise<DevicePostures>;
  readonly enforced: () => Promise<boolean>;
  /** Why nothing is enforced on this machine; null: it is. */
  readonly notEnforced: () => Reason | null;
  readonly isForwarding: () => boolean;
  /** Resolves when the resolvers have applied the current configuration. */
  readonly named: () => Promise<unknown>;
  readonly announce: Announce;
  readonly now: () => Date;
  readonly pause: () => Promise<void>;
  readonly warn: (message: string, error: unknown) => void;
}

/** Privacy controls, the leak monitor, and the captive-portal check. */
export function openPrivacy(needs: Needs) {
  const { ledger, system, bootstrap } = needs;
  const monitor = leakMonitorSettings({ ledger });
  // With the dataplane off nothing is counted: a table of this name would belong to another program.
  const attempts = async () => (bootstrap.dataplane.enabled ? attemptsNow(system) : []);
  const leaks = openLeakMonitor({ ...needs, settings: monitor.get, attempts });
  const { handlers, operations } = privacyHandlers({ ...needs, monitor, leaks });
  return {
    operations,
    handlers: { ...handlers, captive: captiveHandlers(needs) },
    onEvent: leaks.onEvent,
    lastCheck: leaks.lastCheck,
    close: leaks.close,
  };
}
