import { because } from "@portcullis/contract/reason";
import { evidence, type Finding, type Observation } from "./finding.ts";
import { type Profile, raisePeak } from "./profile.ts";
import { scoreOf, type Thresholds } from "./thresholds.ts";

/** DNS queries of an hour, against the largest number of the baseline. */
export function queryRate(profile: Profile, { isLearned, limits }: Observation): Finding | undefined {
  const { queriesThisHour, peakQueries } = profile.numbers;
  const limit = limitOf(profile, limits);
  if (!isLearned || queriesThisHour <= limit) return undefined;
  const expected = Math.round(peakQueries);
  return {
    kind: "query_rate",
    cause: "",
    score: scoreOf(queriesThisHour, limit),
    reason: because("anomaly_query_rate", { observed: queriesThisHour, expected }),
    evidence: evidence([{ measure: "queries_in_hour", observed: queriesThisHour, expected, unit: "queries" }]),
  };
}

/** An hour is complete. */
export function learnQueries(profile: Profile, isLearned: boolean, limits: Thresholds): void {
  const { queriesThisHour } = profile.numbers;
  raisePeak(profile, "peakQueries", queriesThisHour, isLearned && queriesThisHour > limitOf(profile, limits));
}

const limitOf = ({ numbers }: Profile, { leastQueries, queriesFactor }: Thresholds): number =>
  Math.max(leastQueries, queriesFactor * numbers.peakQueries);
