import { because } from "@portcullis/contract/reason";
import { evidence, type Finding, mebibytes, type Observation } from "./finding.ts";
import type { Profile } from "./profile.ts";
import { scoreOf } from "./thresholds.ts";

/** Hours in a row that are reported. */
const leastHours = 2;
/** Times that an hour of the day has to be observed before its silence means something. */
const leastSeen = 8;
/** Below the largest volume of an hour: less is no activity. */
const idleBits = 6;
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
    typical !== undefined && bits >= typical + limits.hourBits && bits <= most + 1 && bits >= most - idleBits;
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

/** The largest typical volume at this hour and the two beside it, in bits. undefined: not known yet. */
function typicalAt({ hoursSeen, hourPeaks }: Profile, { hour, isWeekend }: LocalHour): number | undefined {
  const places = [hour + 23, hour, hour + 1].map((it) => placeOf({ hour: it % 24, isWeekend }));
  if (places.some((it) => hoursSeen[it]! < leastSeen)) return undefined;
  return Math.max(...places.map((it) => hourPeaks[it]!));
}
