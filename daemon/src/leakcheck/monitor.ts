import type { LeakAttempt, LeakCheck, LeakMonitorSettings } from "@portcullis/contract/subsystems/privacy";
import type { Announce } from "@portcullis/contract/events";
import { serial } from "../system/async.ts";
import { type Attempts, attemptsAfter, countedBefore, type AttemptCounter } from "./attempts.machine.ts";
import { type Checked, checkLeaks, type Needs as CheckNeeds, type CheckRequest } from "./check.ts";
import { type CheckState, stateAfter } from "./check-state.machine.ts";
import { type Leaking, leakEventsOf } from "./leak-events.machine.ts";
import { afterChange, startAtMs, type PendingCheck } from "./schedule.machine.ts";

interface Needs extends Omit<CheckNeeds, "learned"> {
  readonly settings: () => LeakMonitorSettings;
  /** Attempts of devices, as the kernel counted them. */
  readonly attempts: () => Promise<readonly AttemptCounter[]>;
  readonly devicesByMac: () => ReadonlyMap<string, { readonly id: string; readonly name: string }>;
  readonly announce: Announce;
  readonly warn: (sentence: string, error: unknown) => void;
}

/** Counts attempts of devices, and runs a check after each change of a tunnel. */
export interface Monitor {
  /** One at a time: a call waits for the running check. undefined: there are no rules to check, or too many calls wait. */
  readonly check: (wish: CheckRequest) => Promise<LeakCheck | undefined>;
  /** A change that should be checked. */
  readonly changed: () => void;
  readonly lastCheck: () => LeakCheck | null;
  /** The latest first. */
  readonly attempts: () => LeakAttempt[];
  readonly attemptsByDevice: () => ReadonlyMap<string, number>;
  readonly countingSince: () => string | null;
  /** Reads the kernel's counts now. */
  readonly count: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** How often the kernel's counters are read. */
const countEveryMs = 20_000;
/** More would wait longer than a request may. */
const maxQueued = 8;
/** A failed echo repeats the check so often in a row; after that its server counts as down. */
const maxEchoRetries = 3;

export function openMonitor(needs: Needs, runCheck: typeof checkLeaks = checkLeaks): Monitor {
  const { settings, announce, devicesByMac, now, warn } = needs;
  const nowMs = () => now().getTime();
  let known: Attempts = new Map();
  const opened = now();
  // The kernel counts while no daemon runs. Its times are whole seconds: too coarse to separate before from after.
  const initialCounters = needs.attempts().then(
    (readings) => void (known = countedBefore(readings, nowMs())),
    () => undefined, // Reported twice is better than not at all.
  );
  let isCounting = false;
  let leaking: Leaking = new Map();
  let checkState: CheckState = { last: null, learned: new Map() };
  let pending: (PendingCheck & { readonly since: Date }) | undefined;
  let endedMs: number | null = null;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let queued = 0;
  let unanswered = 0;
  const inTurn = serial();

  const check = async (wish: CheckRequest): Promise<LeakCheck | undefined> => (await run(wish))?.check;

  function run(wish: CheckRequest): Promise<Checked | undefined> {
    if (queued >= maxQueued) return Promise.resolve(undefined);
    queued += 1;
    return inTurn(async () => {
      const checked = await runCheck({ ...needs, learned: (via) => checkState.learned.get(via) ?? [] }, wish);
      if (checked) record(checked, wish.deviceId !== undefined);
      return checked;
    }).finally(() => (queued -= 1));
  }

  function record({ check: it, echoes }: Checked, isOfOne: boolean): void {
    checkState = stateAfter(checkState, it, echoes, { isOfOne, wan: needs.compiled()?.intent.network.wan });
    const { known: next, news } = leakEventsOf(leaking, it, isOfOne);
    leaking = next;
    for (const { event, payload } of news) (announce as (name: string, payload: object) => void)(event, payload);
  }

  function schedule(): void {
    clearTimeout(timer);
    if (!pending || closed) return;
    timer = setTimeout(runPending, Math.max(0, startAtMs(pending, settings().delay_sec, endedMs) - nowMs()));
    timer.unref();
  }

  function runPending(): void {
    const { since: began } = pending!;
    pending = undefined;
    if (!settings().enabled) return; // Disabled meanwhile.
    void run({ cause: "tunnel-change", since: began })
      .then((made) => {
        if (made && isInconclusive(made)) pending ??= { ...afterChange(undefined, nowMs()), since: began };
      })
      .catch((error: unknown) => warn("The leak check failed", error))
      .finally(() => {
        endedMs = nowMs();
        schedule();
      });
  }

  /** The change that discarded a check, or let an echo fail, may be the last one for a long time: the check is repeated. */
  function isInconclusive({ check: { discarded }, echoes }: Checked): boolean {
    unanswered = echoes.some(({ failure }) => failure !== undefined) ? unanswered + 1 : 0;
    return discarded || (unanswered > 0 && unanswered <= maxEchoRetries);
  }

  async function count(): Promise<void> {
    if (!needs.compiled()) return;
    await initialCounters;
    const readings = await needs.attempts();
    isCounting = true;
    const { known: next, reports } = attemptsAfter(known, readings, nowMs());
    known = next;
    if (reports.length === 0) return;
    const devices = devicesByMac();
    for (const { event, mac, packets } of reports) {
      const device = devices.get(mac);
      announce(event, { device_id: device?.id ?? null, name: device?.name ?? mac, packets });
    }
  }

  const rounds = setInterval(
    () => void count().catch((error: unknown) => warn("Attempts of devices cannot be counted", error)),
    countEveryMs,
  );
  rounds.unref();

  function attempts(): LeakAttempt[] {
    const devices = devicesByMac();
    return [...known.values()]
      .filter(({ packets }) => packets > 0)
      .toSorted((a, b) => b.lastMs - a.lastMs)
      .map(({ kind, mac, packets, lastMs }) => {
        const device = devices.get(mac);
        return {
          device_id: device?.id ?? null,
          name: device?.name ?? mac,
          kind,
          packets,
          last_at: new Date(lastMs).toISOString(),
        };
      });
  }

  function attemptsByDevice(): Map<string, number> {
    const devices = devicesByMac();
    const counts = new Map<string, number>();
    for (const { mac, packets } of known.values()) {
      const id = devices.get(mac)?.id;
      if (id !== undefined) counts.set(id, (counts.get(id) ?? 0) + packets);
    }
    return counts;
  }

  return {
    check,
    changed: () => {
      if (!settings().enabled || closed || !needs.compiled()) return;
      pending = { ...afterChange(pending, nowMs()), since: pending?.since ?? now() };
      schedule();
    },
    lastCheck: () => checkState.last,
    attempts,
    attemptsByDevice,
    countingSince: () => (isCounting ? opened.toISOString() : null),
    count,
    close: async () => {
      closed = true;
      clearInterval(rounds);
      clearTimeout(timer);
      await inTurn(async () => {}); // After the check that runs.
    },
  };
}
