import type { LeakCheck } from "@portcullis/contract/subsystems/privacy";
import { worstOf } from "./assess.ts";

/** The result of the last check, and the echoed addresses. */
export interface CheckState {
  readonly last: LeakCheck | null;
  /** The addresses that were echoed through each path when nothing was wrong. */
  readonly learned: ReadonlyMap<string, readonly string[]>;
  /** The checks of all devices since the last leak; null: none, or the last check found a leak. */
  readonly passed: PassedChecks | null;
}

export interface PassedChecks {
  /** End of the first one. */
  readonly since: string;
  readonly checks: number;
}

interface Answered {
  readonly via: string | number;
  readonly answer: readonly string[];
}

/** `isOfOne`: the check was about one device. `wan` is the uplink, whose echo is recorded whatever was found. */
export function stateAfter(
  { last, learned, passed }: CheckState,
  check: LeakCheck,
  echoes: readonly Answered[],
  { isOfOne, wan }: { readonly isOfOne: boolean; readonly wan: string | undefined },
): CheckState {
  if (check.discarded) return { last, learned, passed };
  // An echo without an answer must not delete the recorded one.
  const recorded = echoes.filter(
    ({ via, answer }) => answer.length > 0 && (check.verdict === "no-leak" || via === wan),
  );
  return {
    last: isOfOne ? merged(last, check) : check,
    learned: new Map([...learned, ...recorded.map(({ via, answer }) => [String(via), answer] as const)]),
    passed: passedAfter(passed, check, isOfOne),
  };
}

/** A leak of one device ends the period; a check of one device or of a sample does not begin it and is not counted. */
function passedAfter(before: PassedChecks | null, check: LeakCheck, isOfOne: boolean): PassedChecks | null {
  if (check.verdict === "leaking") return null;
  if (isOfOne || check.unchecked > 0) return before;
  return { since: before?.since ?? check.finished_at, checks: (before?.checks ?? 0) + 1 };
}

/** A check of one device keeps the results of the others. */
function merged(before: LeakCheck | null, it: LeakCheck): LeakCheck {
  const [one] = it.devices;
  if (!before || !one) return it;
  const devices = before.devices.filter(({ device_id }) => device_id !== one.device_id);
  const all = [...devices, one].toSorted((a, b) => (a.device_id < b.device_id ? -1 : 1));
  return {
    ...it,
    devices: all,
    unchecked: before.unchecked,
    verdict: worstOf([it.verdict, ...all.map(({ verdict }) => verdict)]),
  };
}
