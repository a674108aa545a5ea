import { carries, type Status } from "./link-state.machine.ts";

/** An uplink as it is seen at one moment. */
export interface SeenUplink {
  readonly name: string;
  readonly interface: string;
  /** Lower is better. Among equals nobody is preferred. */
  readonly priority: number;
  readonly status: Status;
  readonly reason: string;
  readonly rttMs?: number;
  readonly loss: number | null;
  /** false: its status is not known, and `down` stands for that. */
  readonly isProbed: boolean;
}

/** Everything the decision depends on, besides what was decided before. */
export interface Sight {
  /** Monotonic. */
  readonly atMs: number;
  /** Milliseconds since 1970, for people. */
  readonly clockMs: number;
  readonly mode: "manual" | "auto";
  /** The operator's choice, which counts in manual mode. */
  readonly chosen?: string;
  readonly uplinks: readonly SeenUplink[];
}

/** What is remembered of one uplink. */
interface Past {
  readonly status: Status;
  /** Since when it is up without interruption. */
  readonly upSinceMs?: number;
  /** Since when it carries nothing. */
  readonly outSinceMs?: number;
  readonly failuresMs: readonly number[];
  readonly pinnedUntilMs?: number;
}

export interface Switch {
  readonly clockMs: number;
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

/** Plain data: it is kept in a file for the next daemon. */
export interface Course {
  readonly active?: string;
  readonly sinceClockMs: number;
  readonly switchedAtMs?: number;
  /** A sentence for people. */
  readonly decision: string;
  readonly pasts: Readonly<Record<string, Past>>;
  readonly switches: readonly Switch[];
}

export const uplinkPace = {
  /** So long an uplink has to be failed before another takes over. */
  holdMs: 1000,
  /** One that never answered gets a little more, for machines start slowly. */
  connectingHoldMs: 4000,
  returnAfterMs: 30_000,
  flapLimit: 5,
  flapWindowMs: 600_000,
  pinMs: 600_000,
  keptSwitches: 50,
} as const;

export const newCourse: Course = { sinceClockMs: 0, decision: "There is no uplink", pasts: {}, switches: [] };

/** The one rule: which uplink is active from now on, and why. */
export function steered(course: Course, sight: Sight): Course {
  if (sight.uplinks.length === 0) return { ...newCourse, switches: course.switches };
  const pasts = Object.fromEntries(
    sight.uplinks.map((uplink) => [uplink.name, remembered(course.pasts[uplink.name], uplink, sight.atMs)]),
  );
  const known = { ...course, pasts };
  const verdict = sight.mode === "auto" ? bestCourse(known, sight) : chosenCourse(known, sight);
  if (verdict.to === undefined) return { ...known, decision: verdict.says };
  return switched(known, sight, verdict.to, verdict.says);
}

/** Where to go, if anywhere, and the sentence that explains it. */
interface Verdict {
  readonly to?: string;
  readonly says: string;
}

function remembered(past: Past | undefined, { status }: SeenUplink, atMs: number): Past {
  const failed = status === "failed" && past !== undefined && carries(past);
  const recent = (past?.failuresMs ?? []).filter((at) => atMs - at < uplinkPace.flapWindowMs);
  const failuresMs = failed ? [...recent, atMs] : recent;
  const pinnedUntilMs =
    failed && failuresMs.length >= uplinkPace.flapLimit ? atMs + uplinkPace.pinMs : past?.pinnedUntilMs;
  return {
    status,
    ...(status === "up" && { upSinceMs: past?.upSinceMs ?? atMs }),
    ...(!carries({ status }) && { outSinceMs: past?.outSinceMs ?? atMs }),
    failuresMs,
    ...(pinnedUntilMs !== undefined && pinnedUntilMs > atMs && { pinnedUntilMs }),
  };
}

function chosenCourse(course: Course, sight: Sight): Verdict {
  const wanted = sight.uplinks.find(({ name }) => name === sight.chosen) ?? byPreference(sight.uplinks)[0]!;
  if (course.active !== wanted.name) {
    const isChoice = wanted.name === sight.chosen;
    return { to: wanted.name, says: isChoice ? "The operator chose it" : "It is the first in the list" };
  }
  const { to, says } = bestCourse(course, sight);
  const otherwise = to === undefined ? "would leave it so" : `would switch to ${to}`;
  return { says: `${wanted.name} is active because the mode is manual. Automatic mode ${otherwise}: ${says}` };
}

function bestCourse(course: Course, sight: Sight): Verdict {
  const active = sight.uplinks.find(({ name }) => name === course.active);
  if (!active) return firstCourse(course, sight);
  const verdict = carries(active) ? returning(course, sight, active) : leaving(course, sight, active);
  const isTooSoon = course.switchedAtMs !== undefined && sight.atMs - course.switchedAtMs < uplinkPace.holdMs;
  return verdict.to !== undefined && isTooSoon ? { says: "The last switch was a moment ago" } : verdict;
}

/** At the very start nobody has answered yet: the preferred one gets its time. Later only an uplink that is up will do. */
function firstCourse(course: Course, { uplinks }: Sight): Verdict {
  const ordered = byPreference(uplinks);
  const hopeful = ordered.find(({ status }) => carries({ status }) || status === "connecting");
  const best = candidates(course, uplinks)[0];
  const to = (course.active === undefined ? hopeful : (best ?? hopeful)) ?? ordered[0]!;
  return { to: to.name, says: "There was no active uplink" };
}

/** Never without a better one: an uplink that fails alone stays active, for it may be the first to return. */
function leaving(course: Course, { atMs, uplinks }: Sight, active: SeenUplink): Verdict {
  const to = candidates(course, uplinks)[0];
  const trouble =
    active.status === "down"
      ? `${active.name} is not probed`
      : `${active.name} is ${active.status} (${lowered(active.reason)})`;
  if (!to) return { says: `${trouble} and no other uplink is up, so it stays` };
  const holdMs = active.status === "connecting" ? uplinkPace.connectingHoldMs : uplinkPace.holdMs;
  const outSinceMs = course.pasts[active.name]?.outSinceMs ?? atMs;
  if (atMs - outSinceMs < holdMs) return { says: `${trouble}; ${to.name} takes over should that last ${holdMs} ms` };
  return { to: to.name, says: `${trouble}, and ${to.name} is up` };
}

function returning(course: Course, { atMs, uplinks }: Sight, active: SeenUplink): Verdict {
  const preferred = byPreference(uplinks).filter(({ priority }) => priority < active.priority);
  const ready = preferred.find(
    ({ name }) =>
      atMs - (course.pasts[name]?.upSinceMs ?? atMs) >= uplinkPace.returnAfterMs &&
      course.pasts[name]?.pinnedUntilMs === undefined,
  );
  const afterSec = uplinkPace.returnAfterMs / 1000;
  if (ready)
    return {
      to: ready.name,
      says: `${ready.name} is preferred and has been up for ${afterSec} s without interruption`,
    };
  const works = active.status === "up" ? `${active.name} is up` : `${active.name} loses packets but carries traffic`;
  const [first] = preferred;
  if (!first) return { says: `${works} and no uplink is preferred to it` };
  if (course.pasts[first.name]?.pinnedUntilMs !== undefined)
    return { says: `${works}; ${first.name} would be preferred but failed too often and has to wait` };
  if (first.status === "up")
    return { says: `${works}; ${first.name} is preferred and takes over once it was up for ${afterSec} s` };
  return { says: `${works}; ${first.name} would be preferred but is ${first.status}` };
}

/** Those that are up, the preferred first. One that failed too often is still better than none. */
function candidates(course: Course, uplinks: readonly SeenUplink[]): readonly SeenUplink[] {
  const isPinned = ({ name }: SeenUplink): boolean => course.pasts[name]?.pinnedUntilMs !== undefined;
  const up = byPreference(uplinks).filter(({ name, status }) => status === "up" && name !== course.active);
  return [...up.filter((it) => !isPinned(it)), ...up.filter(isPinned)];
}

const byPreference = (uplinks: readonly SeenUplink[]): readonly SeenUplink[] =>
  uplinks.toSorted((a, b) => a.priority - b.priority);

function switched(course: Course, { atMs, clockMs }: Sight, to: string, reason: string): Course {
  const from = course.active;
  const next = { ...course, active: to, sinceClockMs: clockMs, decision: `${to} is active: ${lowered(reason)}` };
  if (from === undefined) return next;
  const entry = { clockMs, from, to, reason };
  const switches = [...course.switches, entry].slice(-uplinkPace.keptSwitches);
  return { ...next, switchedAtMs: atMs, switches };
}

/** A sentence inside another; names keep their letters. */
const lowered = (sentence: string): string =>
  /^(?:The|There|It|Its|No|Nobody|Not|Answers|Loses|Waits)\b/.test(sentence)
    ? sentence.charAt(0).toLowerCase() + sentence.slice(1)
    : sentence;
