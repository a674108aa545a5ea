import type { InputOf } from "@portcullis/contract/endpoint";
import type { LeakCheck, PrivacyStatus, privacy as endpoints } from "@portcullis/contract/subsystems/privacy";
import type { Ledger } from "../../ledger/ledger.ts";
import { requireNamed } from "../lookup.ts";
import type { Privacy, ControlledDevice } from "./privacy.service.ts";

type StatusQuery = InputOf<typeof endpoints.status>["query"];
type Row = PrivacyStatus["devices"][number];

/** Where every device's packets go now, and why. */
export interface DevicePostures extends Pick<PrivacyStatus, "protected" | "blocked" | "exposed"> {
  readonly devices: readonly Pick<Row, "device_id" | "posture" | "reason" | "policy_id" | "exception_id">[];
}

/** What the leak monitor knows. */
export interface LeakObservations {
  /** How many packets of each device that tried something were counted. */
  readonly attemptsByDevice: () => ReadonlyMap<string, number>;
  /** What was found last of each device that was looked at; null: nobody has looked. */
  readonly lastCheck: () => LastCheck | null;
}
interface LastCheck extends Pick<LeakCheck, "finished_at" | "verdict"> {
  readonly devices: readonly Pick<LeakCheck["devices"][number], "device_id" | "verdict">[];
}

/** Where nothing is driven nobody counts, and nobody checks. */
export const noObservations: LeakObservations = { attemptsByDevice: () => new Map(), lastCheck: () => null };

interface Needs {
  readonly ledger: Ledger;
  readonly privacy: Pick<Privacy, "systemDefaults" | "classOf" | "controlsFor">;
  readonly standings: () => Promise<DevicePostures>;
  /** Why nothing is enforced on this machine; null: it is. */
  readonly notEnforced: () => string | null;
  /** Whether the kernel forwards packets nevertheless, as another program has told it to. */
  readonly isForwarding: () => boolean;
  readonly observations: LeakObservations;
  /** Lets others have their turn between two pieces of long work. */
  readonly pause: () => Promise<void>;
}

/** No policy holds: whether devices leave is a matter of the kernel's settings alone. */
const unenforced = ({ devices }: DevicePostures, reason: string, posture: "exposed" | "blocked"): DevicePostures => ({
  protected: 0,
  blocked: posture === "blocked" ? devices.length : 0,
  exposed: posture === "exposed" ? devices.length : 0,
  devices: devices.map((it) => ({ ...it, posture, reason, policy_id: null, exception_id: null })),
});

/** Few enough for a slow machine to have time for others between them. */
const devicesAtATime = 500;

/** How each device is protected: where it leaves, what is switched on for it and by whom, what it tried, what was found. */
export function privacyStatus({ ledger, privacy, standings, notEnforced, isForwarding, observations, pause }: Needs) {
  const devices = ledger.staged<ControlledDevice>("device");

  /** The device by id or name; nothing when everybody is asked about. */
  function deviceIdOf(word: string | undefined): string | undefined {
    if (word === undefined) return undefined;
    return requireNamed(devices, "device", word).id;
  }

  return async ({ device_id: word, verdict: wanted }: StatusQuery = {}): Promise<PrivacyStatus> => {
    const only = deviceIdOf(word);
    const reason = notEnforced();
    const asPublished = await standings();
    const { devices: all, ...counts } =
      reason === null ? asPublished : unenforced(asPublished, reason, isForwarding() ? "exposed" : "blocked");
    const check = observations.lastCheck();
    const attempts = observations.attemptsByDevice();
    const verdicts = new Map(check?.devices.map(({ device_id, verdict }) => [device_id, verdict]));
    const rows: Row[] = [];
    for (const [place, { device_id, posture, reason, policy_id, exception_id }] of all.entries()) {
      if (place % devicesAtATime === devicesAtATime - 1) await pause();
      const device = devices.get(device_id);
      if (!device || (only !== undefined && device_id !== only)) continue; // It may have been deleted meanwhile.
      const verdict = verdicts.get(device_id) ?? "unchecked";
      if (wanted !== undefined && verdict !== wanted) continue;
      rows.push({
        device_id,
        name: device.name,
        posture,
        reason,
        policy_id,
        exception_id,
        privacy_class: privacy.classOf(device)?.id ?? null,
        controls: privacy.controlsFor(device),
        attempts: attempts.get(device_id) ?? 0,
        verdict,
      });
    }
    return {
      ...privacy.systemDefaults(),
      not_enforced: reason,
      ...counts,
      last_check: check?.finished_at ?? null,
      last_verdict: check?.verdict ?? null,
      leaking: [...verdicts.values()].filter((verdict) => verdict === "leaking").length,
      devices: rows,
    };
  };
}
