import type { LeakCheck } from "@portcullis/contract/subsystems/privacy";
import { worstOf } from "./assess.ts";

/** What is remembered of checks. */
export interface Memory {
  readonly last: LeakCheck | null;
  /** What each way was answered from outside when nothing was wrong. */
  readonly learned: ReadonlyMap<string, readonly string[]>;
}

interface Answered {
  readonly way: string | number;
  readonly answer: readonly string[];
}

/** `isOfOne`: somebody asked about one device. `wan` is the way that is known to be open, whatever was found. */
export function memoryAfter(
  { last, learned }: Memory,
  check: LeakCheck,
  echoes: readonly Answered[],
  { isOfOne, wan }: { readonly isOfOne: boolean; readonly wan: string | undefined },
): Memory {
  if (check.discarded) return { last, learned };
  // Who was not answered has learned nothing, and must not forget.
  const taught = echoes.filter(({ way, answer }) => answer.length > 0 && (check.verdict === "no-leak" || way === wan));
  return {
    last: isOfOne ? merged(last, check) : check,
    learned: new Map([...learned, ...taught.map(({ way, answer }) => [String(way), answer] as const)]),
  };
}

/** A check of one device says nothing of the others: what was found of them stands. */
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
