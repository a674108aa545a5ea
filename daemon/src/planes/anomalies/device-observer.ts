import { beaconing } from "./beaconing.detector.ts";
import { forgetOld, recordContact } from "./contacts.ts";
import { dnsTunnelling } from "./dns-tunnelling.detector.ts";
import { largeUploads, learnUploads, uploadsToNew } from "./exfiltration.detector.ts";
import type { Finding, Observation } from "./finding.ts";
import { destinationOf, splitName } from "./names.ts";
import { newCountry } from "./new-country.detector.ts";
import { decayPeaks, type Profile } from "./profile.ts";
import { learnQueries, queryRate } from "./query-rate.detector.ts";
import { hashOf } from "./sketches.ts";
import type { Thresholds } from "./thresholds.ts";
import { type LocalHour, unusualHours } from "./unusual-hours.detector.ts";

/** What one connection of a device transferred since the last reading. */
export interface DeviceFlow {
  readonly device: string;
  /** undefined: the log level of the device permits no destinations. */
  readonly to: { readonly address: string; readonly name: string | undefined } | undefined;
  readonly sentBytes: number;
  readonly receivedBytes: number;
  readonly connections: number;
}

type ObservedFlow = Omit<DeviceFlow, "device">;

export interface ObservationContext {
  readonly atMs: number;
  readonly learningDays: number;
  readonly limits: Thresholds;
  readonly localHour: (ms: number) => LocalHour;
  /** Two letters; undefined: not known. */
  readonly countryOf: (address: string) => string | undefined;
}

const hourMs = 3_600_000;

export const isLearned = ({ numbers }: Profile, learningDays: number): boolean => numbers.activeDays >= learningDays;

/** Connections of a device between two readings. */
export function observeFlows(profile: Profile, flows: readonly ObservedFlow[], context: ObservationContext): Finding[] {
  const findings = passTime(profile, context);
  markActive(profile, context);
  const observation = observationOf(profile, context);
  const byDestination = new Map<string, Grouped>();
  for (const { to, sentBytes, receivedBytes, connections } of flows) {
    profile.numbers.sentThisHour += sentBytes;
    profile.numbers.receivedThisHour += receivedBytes;
    if (!to) continue;
    const destination = destinationOf(to.address, to.name);
    const group = byDestination.get(destination) ?? { address: to.address, sent: 0, received: 0, connections: 0 };
    group.sent += sentBytes;
    group.received += receivedBytes;
    group.connections += connections;
    byDestination.set(destination, group);
  }
  for (const [destination, { address, sent, received, connections }] of byDestination) {
    const contact = recordContact(profile, { hash: hashOf(destination), connections, sent, received, ...observation });
    const country = context.countryOf(address);
    const traffic = { destination, connections, contact };
    findings.push(
      ...some(contact && beaconing(contact, destination, observation)),
      ...some(contact && uploadsToNew(profile, contact, destination, observation)),
      ...some(country === undefined ? undefined : newCountry(profile, { country, ...traffic }, observation)),
    );
  }
  const largest = [...byDestination].toSorted(([, a], [, b]) => b.sent - a.sent).slice(0, maxDestinations);
  findings.push(
    ...some(
      largeUploads(
        profile,
        largest.map(([destination]) => destination),
        observation,
      ),
    ),
  );
  return findings;
}

interface Grouped {
  readonly address: string;
  sent: number;
  received: number;
  connections: number;
}

const maxDestinations = 3;

/** Queries of a device. `names` is empty if its log level permits no names. */
export function observeQueries(
  profile: Profile,
  queries: number,
  names: readonly string[],
  context: ObservationContext,
): Finding[] {
  const findings = passTime(profile, context);
  markActive(profile, context);
  profile.numbers.queriesThisHour += queries;
  const observation = observationOf(profile, context);
  for (const name of names) findings.push(...some(dnsTunnelling(profile, splitName(name), observation)));
  findings.push(...some(queryRate(profile, observation)));
  return findings;
}

/** Completes the hour if it is over. Hours without a call, in which nothing was measured, are left out. */
export function passTime(profile: Profile, context: ObservationContext): Finding[] {
  const { numbers, sentByHour } = profile;
  const { atMs, limits, localHour } = context;
  const hour = Math.floor(atMs / hourMs) * hourMs;
  if (numbers.hourMs === 0) numbers.hourMs = hour;
  if (hour === numbers.hourMs) return [];
  const elapsed = (hour - numbers.hourMs) / hourMs;
  if (elapsed < 0) {
    numbers.hourMs = hour; // The clock was set back.
    return [];
  }
  const { isLearned: learned, ...rest } = observationOf(profile, context);
  const begun = localHour(numbers.hourMs);
  const finding = unusualHours(profile, begun, { ...rest, atMs: numbers.hourMs + hourMs, isLearned: learned });
  for (let back = 1; back < Math.min(24, elapsed); back += 1) sentByHour[placeOf(hour - back * hourMs)] = 0;
  sentByHour[placeOf(numbers.hourMs)] = numbers.sentThisHour;
  if (localHour(hour).hour < begun.hour || elapsed >= 24) learnUploads(profile, learned, limits);
  learnQueries(profile, learned, limits);
  sentByHour[placeOf(hour)] = 0;
  decayPeaks(profile, hour);
  forgetOld(profile, hour);
  numbers.hourMs = hour;
  numbers.sentThisHour = 0;
  numbers.receivedThisHour = 0;
  numbers.queriesThisHour = 0;
  return elapsed === 1 ? some(finding) : [];
}

const placeOf = (ms: number): number => (ms / hourMs) % 24;

/** Counts the days before today that had any. */
function markActive(profile: Profile, { atMs, learningDays }: ObservationContext): void {
  const { numbers } = profile;
  const day = Math.floor(atMs / (24 * hourMs));
  if (day === numbers.lastDay) return;
  if (numbers.lastDay !== 0) numbers.activeDays += 1;
  numbers.lastDay = day;
  if (isLearned(profile, learningDays) && numbers.learnedMs === 0) numbers.learnedMs = atMs;
}

const observationOf = (profile: Profile, { atMs, learningDays, limits }: ObservationContext): Observation => ({
  atMs,
  isLearned: isLearned(profile, learningDays),
  learnedMs: profile.numbers.learnedMs,
  limits,
});

const some = <T>(value: T | undefined): T[] => (value === undefined ? [] : [value]);
