import type { AnomalySettings } from "@portcullis/contract/subsystems/anomalies";

const mebibyte = 1024 * 1024;

export interface Thresholds {
  /** Times the largest upload to a new destination. */
  readonly newFactor: number;
  /** Below it, a volume is no anomaly of any device. */
  /** Standard deviations of the logarithm of daily uploads. */
  readonly dayDeviations: number;
  /** Times the largest day, whatever the deviation is. */
  readonly leastDayFactor: number;
  readonly maxDayFactor: number;
  readonly leastSentDay: number;
  readonly leastSentNew: number;
  readonly queriesFactor: number;
  readonly leastQueries: number;
  /** Standard deviation of the intervals, as a share of their mean. */
  readonly intervalVariation: number;
  readonly leastContacts: number;
  readonly leastContactSpanMs: number;
  readonly leastNames: number;
  /** Characters below the domain that are no part of a normal name, in bytes of information. */
  readonly leastNameBytes: number;
  /** New countries per week that are normal for a device. */
  readonly countriesPerWeek: number;
  /** Quarters of an hour with connections: a visit with a browser has one or two. */
  readonly leastCountryPeriods: number;
  /** How many times the typical volume of an hour, as a power of two. */
  readonly hourBits: number;
}

const medium: Thresholds = {
  newFactor: 3,
  dayDeviations: 4,
  leastDayFactor: 3,
  maxDayFactor: 6,
  leastSentDay: 400 * mebibyte,
  leastSentNew: 60 * mebibyte,
  queriesFactor: 4,
  leastQueries: 1000,
  intervalVariation: 0.25,
  leastContacts: 16,
  leastContactSpanMs: 6 * 3_600_000,
  leastNames: 40,
  leastNameBytes: 800,
  countriesPerWeek: 0.8,
  leastCountryPeriods: 5,
  hourBits: 5,
};

/** `low` reports fewer anomalies, `high` more. */
export const thresholds: Readonly<Record<AnomalySettings["sensitivity"], Thresholds>> = {
  medium,
  low: {
    ...medium,
    newFactor: 6,
    dayDeviations: 5,
    leastDayFactor: 5,
    maxDayFactor: 10,
    leastSentDay: 800 * mebibyte,
    leastSentNew: 100 * mebibyte,
    queriesFactor: 8,
    intervalVariation: 0.15,
    leastContacts: 32,
    leastContactSpanMs: 12 * 3_600_000,
    leastNames: 80,
    leastNameBytes: 1600,
    countriesPerWeek: 0.4,
    leastCountryPeriods: 8,
    hourBits: 7,
  },
  high: {
    ...medium,
    newFactor: 2,
    dayDeviations: 3,
    leastDayFactor: 2,
    maxDayFactor: 4,
    leastSentDay: 200 * mebibyte,
    leastSentNew: 20 * mebibyte,
    queriesFactor: 2.5,
    leastQueries: 500,
    intervalVariation: 0.35,
    leastContacts: 12,
    leastContactSpanMs: 3 * 3_600_000,
    leastNames: 25,
    leastNameBytes: 500,
    countriesPerWeek: 1.5,
    leastCountryPeriods: 3,
    hourBits: 4,
  },
};

/** 0.5 at the threshold, 0.75 at three times it, towards 1. */
export const scoreOf = (observed: number, threshold: number): number => {
  const ratio = observed / threshold;
  return Math.round((100 * ratio) / (1 + ratio)) / 100;
};
