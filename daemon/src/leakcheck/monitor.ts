import type { LeakAttempt, LeakCheck, LeakMonitorSettings } from "@portcullis/contract/subsystems/privacy";
import type { Announce } from "@portcullis/contract/events";
import { type Attempts, attemptsAfter, countedBefore, type Reading } from "./attempts.machine.ts";
import { type Checked, checkLeaks, type Needs as CheckNeeds, type Wish } from "./check.ts";
import { type Memory, memoryAfter } from "./check-state.machine.ts";
import { type Leaking, newsOf } from "./leak-events.machine.ts";
import { changed, dueMs, type Turn } from "./schedule.machine.ts";

interface Needs extends Omit<CheckNeeds, "learned"> {
  readonly settings: () => LeakMonitorSettings;
  /** What devices tried, by the kernel's own count. */
  readonly attempts: () => Promise<readonly Reading[]>;
  readonly devicesByMac: () => ReadonlyMap<string, { readonly id: string; readonly name: string }>;
  readonly announce: Announce;
  readonly warn: (sentence: string, error: unknown) => void;
}

/** Counts what devices try, and attacks after each change of a tunnel. */
export interface Monitor {
  /** One at a time: who asks while another one runs waits for it. Nothing: there are no rules to be looked at. */
  readonly check: (wish: Wish) => Promise<LeakCheck | undefined>;
  /** Something has changed that should be looked at. */
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

/** How often the kernel is asked what it has counted. */
const countEveryMs = 20_000;
/** More would wait longer than anybody does. */
const mostWaiting = 8;
/** An echo that failed is asked again so often in a row; after that its server is down, which is no reason to check on. */
const mostUnanswered = 3;

export function openMonitor(needs: Needs, runCheck: typeof checkLeaks = checkLeaks): Monitor {
  const { settings, announce, devicesByMac, now, warn } = needs;
  const nowMs = () => now().getTime();
  let known: Attempts = new Map();
  const opened = now();
  // The kernel counts on while nobody asks. Its own times are whole seconds: too rough to tell before from after.
  const begun = needs.attempts().then(
    (readings) => void (known = countedBefore(readings, nowMs())),
    () => undefined, // Told twice is better than not at all.
  );
  let isCounting = false;
  let leaking: Leaking = new Map();
  let memory: Memory = { last: null, learned: new Map() };
  let turn: (Turn & { readonly since: Date }) | undefined;
  let endedMs: number | null = null;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let waiting = 0;
  let unanswered = 0;
  let running: Promise<unknown> = Promise.resolve();

  const check = async (wish: Wish): Promise<LeakCheck | undefined> => (await make(wish))?.check;

  function make(wish: Wish): Promise<Checked | undefined> {
    if (waiting >= mostWaiting) return Promise.resolve(undefined);
    waiting += 1;
    const mine = running
      .then(() => runCheck({ ...needs, learned: (way) => memory.learned.get(way) ?? [] }, wish))
      .then((checked) => {
        if (checked) remember(checked, wish.deviceId !== undefined);
        return checked;
      })
      .finally(() => (waiting -= 1));
    running = mine.catch(() => undefined);
    return mine;
  }

  function remember({ check: it, echoes }: Checked, isOfOne: boolean): void {
    memory = memoryAfter(memory, it, echoes, { isOfOne, wan: needs.compiled()?.intent.network.wan });
    const { known: next, news } = newsOf(leaking, it, isOfOne);
    leaking = next;
    for (const { event, payload } of news) (announce as (name: string, payload: object) => void)(event, payload);
  }

  function plan(): void {
    clearTimeout(timer);
    if (!turn || closed) return;
    timer = setTimeout(attackNow, Math.max(0, dueMs(turn, settings().delay_sec, endedMs) - nowMs()));
    timer.unref();
  }

  function attackNow(): void {
    const { since: began } = turn!;
    turn = undefined;
    if (!settings().enabled) return; // Somebody switched it off meanwhile.
    void make({ cause: "tunnel-change", since: began })
      .then((made) => {
        if (made && provesNothing(made)) turn ??= { ...changed(undefined, nowMs()), since: began };
      })
      .catch((error: unknown) => warn("The leak check could not be made", error))
      .finally(() => {
        endedMs = nowMs();
        plan();
      });
  }

  /** The change that overtook a check, or kept an echo from being answered, may be the last one for a long time. */
  function provesNothing({ check: { discarded }, echoes }: Checked): boolean {
    unanswered = echoes.some(({ failure }) => failure !== undefined) ? unanswered + 1 : 0;
    return discarded || (unanswered > 0 && unanswered <= mostUnanswered);
  }

  async function count(): Promise<void> {
    if (!needs.compiled()) return;
    await begun;
    const readings = await needs.attempts();
    isCounting = true;
    const { known: next, tell } = attemptsAfter(known, readings, nowMs());
    known = next;
    if (tell.length === 0) return;
    const devices = devicesByMac();
    for (const { event, mac, packets } of tell) {
      const device = devices.get(mac);
      announce(event, { device_id: device?.id ?? null, name: device?.name ?? mac, packets });
    }
  }

  const rounds = setInterval(
    () => void count().catch((error: unknown) => warn("What devices try cannot be counted", error)),
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
      turn = { ...changed(turn, nowMs()), since: turn?.since ?? now() };
      plan();
    },
    lastCheck: () => memory.last,
    attempts,
    attemptsByDevice,
    countingSince: () => (isCounting ? opened.toISOString() : null),
    count,
    close: async () => {
      closed = true;
      clearInterval(rounds);
      clearTimeout(timer);
      await running;
    },
  };
}
