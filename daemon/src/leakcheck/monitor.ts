import type { LeakAttempt, LeakCheck, LeakMonitorSettings } from "@portcullis/contract/subsystems/privacy";
import type { Announce } from "@portcullis/contract/events";
import { serial } from "../system/async.ts";
import { type Attempts, attemptsAfter, countedBefore, type AttemptCounter } from "./attempts.machine.ts";
import { type Checked, checkLeaks, type Needs as CheckNeeds, type CheckRequest } from "./check.ts";
import { type CheckState, type PassedChecks, stateAfter } from "./check-state.machine.ts";
import { batchesOf, sampleDevices } from "./batches.ts";
import { withBatch } from "./whole-check.machine.ts";
import { type Leaking, leakEventsOf, ofDevices, summaryOf } from "./leak-events.machine.ts";
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
  /**
   * Checks one device, or all of them in batches. One batch at a time: a call waits for the running one. undefined: there are
   * no rules to check, too many calls wait, or the daemon stops.
   */
  readonly check: (deviceId?: string) => Promise<LeakCheck | undefined>;
  /** A change that should be checked. */
  readonly changed: () => void;
  readonly lastCheck: () => LeakCheck | null;
  readonly passedChecks: () => PassedChecks | null;
  /** The latest first. */
  readonly attempts: () => LeakAttempt[];
  readonly attemptsByDevice: () => ReadonlyMap<string, number>;
  readonly countingSince: () => string | null;
  /** Reads the kernel's counts now. */
  readonly count: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** How often the kernel's counters are read. */
export const countEveryMs = 20_000;
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
  let checkState: CheckState = { last: null, learned: new Map(), passed: null };
  let pending: (PendingCheck & { readonly since: Date }) | undefined;
  let endedMs: number | null = null;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let queued = 0;
  let unanswered = 0;
  const inTurn = serial();

  async function check(deviceId?: string): Promise<LeakCheck | undefined> {
    const all = deviceId === undefined ? (needs.compiled()?.intent.devices ?? []) : [];
    if (all.length > sampleDevices) return (await ifNotBusy(() => checkAll(all.map(({ id }) => id).toSorted())))?.check;
    const checked = await run({ cause: "request", ...(deviceId !== undefined && { deviceIds: [deviceId] }) });
    return checked?.check;
  }

  const run = (request: CheckRequest): Promise<Checked | undefined> =>
    ifNotBusy(async () => {
      const checked = await runBatch(request);
      if (checked) record(checked, request.deviceIds !== undefined);
      return checked;
    });

  async function ifNotBusy<T>(task: () => Promise<T>): Promise<T | undefined> {
    if (queued >= maxQueued) return undefined;
    queued += 1;
    return task().finally(() => (queued -= 1));
  }

  const runBatch = (request: CheckRequest): Promise<Checked | undefined> =>
    inTurn(async () =>
      closed ? undefined : runCheck({ ...needs, learned: (via) => checkState.learned.get(via) ?? [] }, request),
    );

  /** Between two batches other checks have their turn. Only the results are kept, not what they are derived from. */
  async function checkAll(ids: readonly string[]): Promise<Checked | undefined> {
    const since = now();
    let done = 0;
    let whole: Checked | undefined;
    for (const deviceIds of batchesOf(ids)) {
      const batch = await runBatch({ cause: "request", deviceIds, since, echoes: whole?.echoes ?? [] });
      if (!batch) return undefined;
      // A leak is reported at once: the other batches may take minutes.
      report(batch.check, { isPart: true });
      whole = withBatch(whole, batch, deviceIds.length);
      done += deviceIds.length;
      announce("leak.progress", { checked: done, devices: ids.length });
    }
    // Its leaks were reported batch by batch.
    if (whole && whole.check.unchecked === 0) leaking = ofDevices(leaking, whole.check);
    if (whole) conclude(whole, false);
    return whole;
  }

  function record(checked: Checked, isOfOne: boolean): void {
    report(checked.check, { isPart: isOfOne });
    conclude(checked, isOfOne);
  }

  /** The check is over: its result is kept, and it is announced that it has ended. */
  function conclude({ check: it, echoes }: Checked, isOfOne: boolean): void {
    checkState = stateAfter(checkState, it, echoes, { isOfOne, wan: needs.compiled()?.intent.network.wan });
    if (!it.discarded) announce("leak.checked", summaryOf(it));
  }

  /** `isPart`: it does not contain every device, so that a device it lacks may still leak. */
  function report(it: LeakCheck, { isPart }: { readonly isPart: boolean }): void {
    const { known: next, news } = leakEventsOf(leaking, it, isPart);
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
    passedChecks: () => checkState.passed,
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
