import type { Reason } from "@portcullis/contract/reason";
import type { GatewayApi } from "@portcullis/contract/api";
import type { HandlersOf } from "@portcullis/contract/handler";
import { Problem } from "@portcullis/contract/problem";
import type { GatewayLeakMonitor } from "./leak-monitor.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { privacyClassService } from "../../subsystems/classes/classes.service.ts";
import type { Devices } from "../../subsystems/devices/devices.service.ts";
import type { Operations } from "../../subsystems/configuration/operations.ts";
import { requireNamed } from "../../subsystems/lookup.ts";
import type { leakMonitorSettings } from "../../subsystems/privacy/leak-monitor.settings.ts";
import { privacyRoutes } from "../../subsystems/privacy/privacy.routes.ts";
import { privacyService } from "../../subsystems/privacy/privacy.service.ts";
import { privacyStatus, type DevicePostures } from "../../subsystems/privacy/status.ts";

interface Needs {
  readonly ledger: Ledger;
  readonly devices: Pick<Devices, "update">;
  readonly classes: Pick<ReturnType<typeof privacyClassService>, "update">;
  readonly postures: () => Promise<DevicePostures>;
  readonly enforced: () => Promise<boolean>;
  readonly notEnforced: () => Reason | null;
  readonly isForwarding: () => boolean;
  readonly monitor: ReturnType<typeof leakMonitorSettings>;
  readonly leaks: Pick<
    GatewayLeakMonitor,
    "check" | "lastCheck" | "passedChecks" | "attempts" | "attemptsByDevice" | "countingSince" | "count"
  >;
  readonly pause: () => Promise<void>;
}

/** The handlers of the privacy endpoints. */
export function privacyHandlers(needs: Needs) {
  const { ledger, devices, classes, postures, enforced, notEnforced, isForwarding, monitor, leaks, pause } = needs;
  const service = privacyService({ ledger, updateDevice: devices.update, updateClass: classes.update });
  const known = ledger.staged<{ readonly id: string; readonly name: string }>("device");
  const seen = () => ({
    counting_since: leaks.countingSince(),
    attempts: leaks.attempts(),
    last_check: leaks.lastCheck(),
  });
  const handlers = {
    privacy: {
      ...privacyRoutes({
        service,
        status: privacyStatus({
          ledger,
          privacy: service,
          postures,
          notEnforced,
          isForwarding,
          observations: leaks,
          pause,
        }),
        enforced,
      }),
      leakMonitor: async () => {
        await leaks.count();
        return { ...monitor.get(), ...seen() };
      },
      putLeakMonitor: ({ body }, { cause }) => ({ ...monitor.put(cause, body), ...seen() }),
      leakCheck: async ({ body }, { cause }) => {
        const word = body?.device_id;
        const device = word === undefined ? undefined : requireNamed(known, "device", word);
        // Recorded whatever the result: the check sends packets in a device's name.
        ledger.change(cause, (draft) => draft.about(device?.id ?? "all"));
        const check = await leaks.check(device?.id);
        if (!check) throw new Problem("conflict", {}, { message: cannotCheck });
        return check;
      },
    } satisfies HandlersOf<GatewayApi["privacy"]>,
  };
  const operations = { privacy: { put: service.put }, leak_monitor: { put: monitor.put } } satisfies Operations;
  return { handlers, operations };
}

const cannotCheck =
  "The leak check cannot run: the dataplane is off or not in force yet, or too many checks are waiting";
