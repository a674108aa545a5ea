import { explained, type Reason, whyNotEnforced } from "@portcullis/contract/reason";
import type { InputOf } from "@portcullis/contract/endpoint";
import type { LeakCheck, PrivacyStatus, privacy as endpoints } from "@portcullis/contract/subsystems/privacy";
import type { Ledger } from "../../ledger/ledger.ts";
import { requireNamed } from "../lookup.ts";
import type { Privacy, ControlledDevice } from "./privacy.service.ts";

type StatusQuery = InputOf<typeof endpoints.status>["query"];
type Row = PrivacyStatus["devices"][number];

/** The current posture of every device, with the reason. */
export interface DevicePostures extends Pick<PrivacyStatus, "protected" | "blocked" | "exposed" | "unknown_device"> {
  readonly devices: readonly Pick<
    Row,
    "device_id" | "posture" | "reason" | "coded_reason" | "policy_id" | "exception_id"
  >[];
}

/** Observations of the leak monitor. */
export interface LeakObservations {
  /** Number of counted packets by device. */
  readonly attemptsByDevice: () => ReadonlyMap<string, number>;
  /** The last result of each checked device; null: no check yet. */
  readonly lastCheck: () => LastCheck | null;
  /** The checks of all devices since the last leak; null: none. */
  readonly passedChecks: () => { readonly since: string; readonly checks: number } | null;
}
interface LastCheck extends Pick<LeakCheck, "finished_at" | "verdict"> {
  readonly devices: readonly Pick<LeakCheck["devices"][number], "device_id" | "verdict">[];
}

/** Used while the dataplane is off. */
export const noObservations: LeakObservations = {
  attemptsByDevice: () => new Map(),
  lastCheck: () => null,
  passedChecks: () => null,
};

interface Needs {
  readonly ledger: Ledger;
  readonly privacy: Pick<Privacy, "systemDefaults" | "classOf" | "controlsFor">;
  readonly postures: () => Promise<DevicePostures>;
  /** Why nothing is enforced on this machine; null: it is. */
  readonly notEnforced: () => Reason | null;
  /** Whether the kernel forwards packets nevertheless, because another program enabled it. */
  readonly isForwarding: () => boolean;
  readonly observations: LeakObservations;
  /** Yields to other work of the process. */
  readonly pause: () => Promise<void>;
}

/** Without enforcement only the kernel's forwarding setting decides whether devices reach the Internet. */
const unenforced = ({ devices }: DevicePostures, reason: Reason, posture: "exposed" | "blocked"): DevicePostures => ({
  ...unenforcedCounts(devices.length, posture),
  unknown_device: posture,
  devices: devices.map((it) => ({ ...it, posture, ...explained(reason), policy_id: null, exception_id: null })),
});

export const unenforcedCounts = (devices: number, posture: "exposed" | "blocked") => ({
  protected: 0,
  blocked: posture === "blocked" ? devices : 0,
  exposed: posture === "exposed" ? devices : 0,
});

/** Number of devices between two pauses. */
const devicesAtATime = 500;

/** The privacy status: posture, controls, attempts and verdict of each device. */
export function privacyStatus({ ledger, privacy, postures, notEnforced, isForwarding, observations, pause }: Needs) {
  const devices = ledger.staged<ControlledDevice>("device");

  /** The id of the requested device; undefined: all devices. */
  function deviceIdOf(word: string | undefined): string | undefined {
    if (word === undefined) return undefined;
    return requireNamed(devices, "device", word).id;
  }

  return async ({ device_id: word, verdict: wanted }: StatusQuery = {}): Promise<PrivacyStatus> => {
    const only = deviceIdOf(word);
    const reason = notEnforced();
    const asPublished = await postures();
    const { devices: all, ...counts } =
      reason === null ? asPublished : unenforced(asPublished, reason, isForwarding() ? "exposed" : "blocked");
    const check = observations.lastCheck();
    const passed = observations.passedChecks();
    const attempts = observations.attemptsByDevice();
    const verdicts = new Map(check?.devices.map(({ device_id, verdict }) => [device_id, verdict]));
    const rows: Row[] = [];
    for (const [index, { device_id, posture, coded_reason: why, policy_id, exception_id }] of all.entries()) {
      if (index % devicesAtATime === devicesAtATime - 1) await pause();
      const device = devices.get(device_id);
      if (!device || (only !== undefined && device_id !== only)) continue; // A device may have been deleted meanwhile.
      const verdict = verdicts.get(device_id) ?? "unchecked";
      if (wanted !== undefined && verdict !== wanted) continue;
      rows.push({
        device_id,
        name: device.name,
        posture,
        ...explained(why),
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
      ...whyNotEnforced(reason),
      ...counts,
      last_check: check?.finished_at ?? null,
      last_verdict: check?.verdict ?? null,
      no_leak_since: passed?.since ?? null,
      passed_checks: passed?.checks ?? 0,
      leaking: [...verdicts.values()].filter((verdict) => verdict === "leaking").length,
      devices: rows,
    };
  };
}
