import type { EventPayload } from "@portcullis/contract/events";
import { explainedAs } from "@portcullis/contract/reason";
import type { LeakCheck } from "@portcullis/contract/subsystems/privacy";

/** The leaks that were reported, by device, with their causes. */
export type Leaking = ReadonlyMap<string, ReadonlySet<string>>;

export type LeakEvent =
  | {
      readonly event: "leak.detected";
      readonly payload: EventPayload<"leak.detected">;
    }
  | { readonly event: "leak.cleared"; readonly payload: { device_id: string | null; name: string } };

/** Reported by the event `policy.direct_fallback`. */
const reportedElsewhere = "direct-fallback";

/** The events of a check that were not sent yet. A discarded check has none. */
export function leakEventsOf(
  known: Leaking,
  check: LeakCheck,
  isOfOne: boolean,
): { readonly known: Leaking; readonly news: readonly LeakEvent[] } {
  if (check.discarded) return { known, news: [] };
  const next = new Map(known);
  const events: LeakEvent[] = [];
  const whole = { device_id: null, name: "the gateway", findings: check.gateway };
  for (const { device_id, name, findings } of [...check.devices, whole]) {
    const key = device_id ?? "";
    const leaks = findings.filter(({ severity, cause }) => severity === "leak" && cause !== reportedElsewhere);
    const before = known.get(key) ?? new Set();
    const causes = new Map(leaks.map((it) => [it.cause as string, it.coded_message]));
    for (const [cause, message] of causes)
      if (!before.has(cause))
        events.push({
          event: "leak.detected",
          payload: { device_id, name, cause, ...explainedAs("message", message) },
        });
    if (before.size > 0 && causes.size === 0) events.push({ event: "leak.cleared", payload: { device_id, name } });
    if (causes.size === 0) next.delete(key);
    else next.set(key, new Set(causes.keys()));
  }
  const isComplete = !isOfOne && check.unchecked === 0;
  return { known: isComplete ? ofDevices(next, check) : next, news: events };
}

/** A device that a complete check no longer contains is gone, and so are its reported leaks. */
export function ofDevices(known: Leaking, { devices }: LeakCheck): Leaking {
  const checked = new Set(["", ...devices.map(({ device_id }) => device_id)]);
  return new Map([...known].filter(([key]) => checked.has(key)));
}

/** For the event `leak.checked`. */
export const summaryOf = ({ verdict, devices }: LeakCheck) => ({
  verdict,
  devices: devices.length,
  leaking: devices.filter((it) => it.verdict === "leaking").length,
});
