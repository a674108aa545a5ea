import { because } from "@portcullis/contract/reason";
import { evidence, type Finding, mebibytes, type Observation } from "./finding.ts";
import type { Profile } from "./profile.ts";
import { scoreOf } from "./thresholds.ts";

/** Hours in a row that are reported. */
const leastHours = 2;
/** Times that an hour of the day has to be observed before its silence means something. */
const leastSeen = 8;
/** Of these, on the same kind of day. As long as that kind alone is not known well enough, the other kind counts, too. */
const leastSeenOfKind = 4;
/** Below the volume of busy hours: less is no activity. */
const idleBits = 5;
/** Per observation of the hour: a habit that ended is forgotten in about two months. */
const forgottenBits = 0.1;

/**
 * An hour is complete: volumes that are typical for the device, but not at this hour of a working day or of the weekend, nor at the
 * hours beside it. A volume that is unusual at any hour says nothing about hours.
 */
export function unusualHours(
  profile: Profile,
  localHour: LocalHour,
  { atMs, isLearned, limits }: Observation,
): Finding | undefined {
  const { numbers, hoursSeen, hourPeaks } = profile;
  const volume = numbers.sentThisHour + numbers.receivedThisHour;
  const bits = Math.log2(volume + 1);
  const typical = typicalAt(profile, localHour);
  const most = Math.max(...hourPeaks);
  const place = placeOf(localHour);
  const isUnusual =
    typical !== undefined &&
    bits >= typical + limits.hourBits &&
    bits <= most + 1 &&
    bits >= busy(hourPeaks, typical + limits.hourBits) - idleBits;
  hoursSeen[place] = Math.min(0xffff, hoursSeen[place]! + 1);
  // One unusual hour does not make the next one typical.
  const learned = isLearned && isUnusual ? Math.min(bits, hourPeaks[place]! + 1) : bits;
  hourPeaks[place] = Math.max(hourPeaks[place]! - forgottenBits, learned);
  if (!isLearned || !isUnusual) {
    numbers.unusualHours = 0;
    return undefined;
  }
  if (numbers.unusualHours === 0) numbers.unusualSinceMs = atMs - 3_600_000;
  numbers.unusualHours += 1;
  if (numbers.unusualHours < leastHours) return undefined;
  return {
    kind: "unusual_hours",
    cause: "",
    score: scoreOf(2 ** ((bits - typical - limits.hourBits) / 4), 1),
    reason: because("anomaly_unusual_hours", {
      since: new Date(numbers.unusualSinceMs).toISOString(),
      observed: mebibytes(volume),
      expected: mebibytes(2 ** typical),
    }),
    evidence: evidence([
      { measure: "transferred_in_hour", observed: volume, expected: Math.round(2 ** typical), unit: "bytes" },
    ]),
  };
}

/** In the time zone of the gateway. */
export interface LocalHour {
  readonly hour: number;
  readonly isWeekend: boolean;
}

const placeOf = ({ hour, isWeekend }: LocalHour): number => (isWeekend ? 24 : 0) + hour;

/** The median of the hours that are busier than this one: a single large upload does not make all other use look idle. */
function busy(hourPeaks: Float32Array, above: number): number {
  const peaks = [...hourPeaks].filter((it) => it > above).toSorted((a, b) => a - b);
  return peaks[peaks.length >> 1] ?? Number.POSITIVE_INFINITY;
}

/**
 * The largest typical volume at this hour and the two beside it, in bits. undefined: not known yet. The weekend has two days a week:
 * until it is known by itself after four weeks, what is silent within two hours on working days, too, counts as silent.
 */
function typicalAt({ hoursSeen, hourPeaks }: Profile, { hour, isWeekend }: LocalHour): number | undefined {
  const around = (radius: number, kind: boolean) => {
    const hours = Array.from({ length: 2 * radius + 1 }, (_, n) => (hour + 24 - radius + n) % 24);
    const places = hours.map((it) => placeOf({ hour: it, isWeekend: kind }));
    return {
      seen: Math.min(...places.map((it) => hoursSeen[it]!)),
      peak: Math.max(...places.map((it) => hourPeaks[it]!)),
    };
  };
  const own = around(1, isWeekend);
  if (own.seen >= leastSeen) return own.peak;
  const [wide, other] = [around(2, isWeekend), around(2, !isWeekend)];
  if (wide.seen < leastSeenOfKind || wide.seen + other.seen < leastSeen) return undefined;
  return Math.max(wide.peak, other.peak);
}
