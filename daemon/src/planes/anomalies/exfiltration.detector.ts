import { because } from "@portcullis/contract/reason";
import { type Contact, newLimit } from "./contacts.ts";
import { evidence, type Finding, mebibytes, type Observation } from "./finding.ts";
import { type Profile, raisePeak } from "./profile.ts";
import { scoreOf, type Thresholds } from "./thresholds.ts";

/** One anomaly of a device, whichever of the two volumes shows it. */
const kind = "exfiltration";
const cause = "";

/** Uploads of the last 24 hours, against those of the days of the baseline. */
export function largeUploads(
  profile: Profile,
  destinations: readonly string[],
  { isLearned, limits }: Observation,
): Finding | undefined {
  const observed = sentIn(profile) + profile.numbers.sentThisHour;
  const limit = dayLimit(profile, limits);
  if (!isLearned || observed <= limit) return undefined;
  const expected = Math.round(profile.numbers.peakSentDay);
  return {
    kind,
    cause,
    score: scoreOf(observed, limit),
    reason: because("anomaly_upload_day", { observed: mebibytes(observed), expected: mebibytes(expected) }),
    evidence: evidence([{ measure: "sent_in_day", observed, expected, unit: "bytes" }], { destinations }),
  };
}

/** Uploads to one new destination, against the largest ones to new destinations. */
export function uploadsToNew(
  profile: Profile,
  { firstMs, sent }: Contact,
  destination: string,
  { isLearned, learnedMs, limits }: Observation,
): Finding | undefined {
  const limit = newLimit(profile, limits);
  if (!isLearned || firstMs < learnedMs || sent <= limit) return undefined;
  const expected = Math.round(profile.numbers.peakSentNew);
  return {
    kind,
    cause,
    score: scoreOf(sent, limit),
    reason: because("anomaly_upload_new", {
      destination,
      observed: mebibytes(sent),
      expected: mebibytes(expected),
    }),
    evidence: evidence([{ measure: "sent_to_destination", observed: sent, expected, unit: "bytes" }], {
      destinations: [destination],
    }),
  };
}

/** A day is complete. Days on which the device was off say nothing about its uploads. */
export function learnUploads(profile: Profile, isLearned: boolean, limits: Thresholds): void {
  const { numbers } = profile;
  const [sentInDay, limit] = [sentIn(profile), dayLimit(profile, limits)];
  raisePeak(profile, "peakSentDay", sentInDay, isLearned && sentInDay > limit);
  if (sentInDay < idleBytes) return;
  const logarithm = Math.log(isLearned ? Math.min(sentInDay, limit) : sentInDay);
  numbers.sentDays += 1;
  const weight = 1 / Math.min(numbers.sentDays, rememberedDays);
  const difference = logarithm - numbers.sentLogMean;
  numbers.sentLogMean += weight * difference;
  numbers.sentLogVariance = (1 - weight) * (numbers.sentLogVariance + weight * difference * difference);
}

const idleBytes = 1_000_000;
const rememberedDays = 60;

/** Uploads vary by orders of magnitude, each device differently: their own deviation decides, within multiples of the largest day. */
function dayLimit(
  { numbers }: Profile,
  { leastSentDay, leastDayFactor, maxDayFactor, dayDeviations }: Thresholds,
): number {
  const { peakSentDay, sentDays, sentLogMean, sentLogVariance } = numbers;
  const deviant =
    sentDays < fewDays ? Number.POSITIVE_INFINITY : Math.exp(sentLogMean + dayDeviations * Math.sqrt(sentLogVariance));
  const most = maxDayFactor * peakSentDay;
  // Of a device that uploads photos or backups anyway, a few times its largest day is no news.
  const ordinary = Math.min(manyTimes * peakSentDay, ordinaryBytes);
  return Math.max(leastSentDay, ordinary, Math.min(most, Math.max(leastDayFactor * peakSentDay, deviant)));
}

const fewDays = 5;
const manyTimes = 20;
const ordinaryBytes = 2 * 1024 ** 3;

const sentIn = ({ sentByHour }: Profile): number => sentByHour.reduce((sum, it) => sum + it, 0);
