import { contactSlots, type Profile, raisePeak } from "./profile.ts";
import { addElement, hasElement } from "./sketches.ts";
import type { Thresholds } from "./thresholds.ts";

/** A destination that was new when it was first contacted: a view of its slot. */
export interface Contact {
  readonly firstMs: number;
  readonly lastMs: number;
  readonly contacts: number;
  /** Mean and variance of the intervals, in seconds. */
  readonly mean: number;
  readonly variance: number;
  /** Bytes sent to it more than received from it, while it is new: a call sends as much as it receives. */
  readonly sent: number;
  /** Intervals that were left out because the device slept. */
  readonly pauses: number;
}

const [hashAt, firstAt, lastAt, contactsAt, meanAt, varianceAt, sentAt, pausesAt] = [0, 1, 2, 3, 4, 5, 6, 7];
/** A destination is new for this long. */
export const newForMs = 3 * 86_400_000;
const idleMs = 2 * 86_400_000;
const periodMs = 28 * 86_400_000;
/** Connections within this time are one contact: one visit opens several. */
const mergedMs = 15_000;

export const isKnown = ({ known, knownBefore }: Profile, hash: number): boolean =>
  hasElement(known, hash) || hasElement(knownBefore, hash);

export function markKnown(profile: Profile, hash: number): void {
  addElement(profile.known, hash);
}

/** What was not seen for two periods is forgotten. */
export function forgetOld(profile: Profile, atMs: number): void {
  if (atMs - profile.numbers.knownSinceMs < periodMs) return;
  profile.knownBefore.set(profile.known);
  profile.known.fill(0);
  profile.numbers.knownSinceMs = atMs;
}

/** Records traffic to a destination. undefined: it is known. */
export function recordContact(
  profile: Profile,
  { hash, connections, sent, received, atMs, limits, isLearned }: Recorded,
): Contact | undefined {
  const table = profile.contacts;
  let slot = slotOf(table, hash);
  if (slot === undefined) {
    const known = isKnown(profile, hash);
    markKnown(profile, hash);
    if (known) return undefined;
    slot = leastUseful(table, atMs);
    closeNew(profile, slot, limits, isLearned);
    table.fill(0, slot, slot + contactSlots.fields);
    table[slot + hashAt] = hash + 1;
    table[slot + firstAt] = atMs;
  }
  if (connections > 0) addInterval(table, slot, atMs);
  if (table[slot + sentAt]! >= 0) {
    table[slot + sentAt] = Math.max(0, table[slot + sentAt]! + sent - received);
    if (atMs - table[slot + firstAt]! > newForMs) closeNew(profile, slot, limits, isLearned);
  }
  return viewOf(table, slot);
}

interface Recorded {
  readonly hash: number;
  readonly connections: number;
  readonly sent: number;
  readonly received: number;
  readonly atMs: number;
  readonly limits: Thresholds;
  readonly isLearned: boolean;
}

/** Uploads to new destinations above it are an anomaly. */
export const newLimit = ({ numbers }: Profile, { leastSentNew, newFactor }: Thresholds): number =>
  Math.max(leastSentNew, newFactor * numbers.peakSentNew);

/** The destination is not new any more: what was sent to it is part of the baseline. */
function closeNew(profile: Profile, slot: number, limits: Thresholds, isLearned: boolean): void {
  const sent = profile.contacts[slot + sentAt]!;
  // In the first days of a device all destinations are new.
  const isSettled = profile.contacts[slot + firstAt]! > profile.numbers.firstMs + newForMs;
  if (sent > 0 && isSettled) raisePeak(profile, "peakSentNew", sent, isLearned && sent > newLimit(profile, limits));
  profile.contacts[slot + sentAt] = -1;
}

function slotOf(table: Float64Array, hash: number): number | undefined {
  for (let slot = 0; slot < table.length; slot += contactSlots.fields)
    if (table[slot + hashAt] === hash + 1) return slot;
  return undefined;
}

/** Browsing has many destinations with few contacts; they displace each other, and not what returns. */
function leastUseful(table: Float64Array, atMs: number): number {
  let [best, least] = [0, Number.POSITIVE_INFINITY];
  for (let slot = 0; slot < table.length; slot += contactSlots.fields) {
    if (table[slot + hashAt] === 0) return slot;
    const last = table[slot + lastAt]! || table[slot + firstAt]!;
    const isIdle = atMs - last > idleMs;
    const use = isIdle ? -1 : table[slot + contactsAt]! + Math.max(0, table[slot + sentAt]!) / 1_000_000;
    const order = use + last / 1e15; // Of equal ones, the oldest.
    if (order < least) [best, least] = [slot, order];
  }
  return best;
}

/** A longer interval is one with a contact that failed, or a device that slept. */
const missedFactor = 1.6;
const fewIntervals = 4;
/** After this many intervals the mean follows the latest ones. */
const memory = 64;

function addInterval(table: Float64Array, slot: number, atMs: number): void {
  const last = table[slot + lastAt]!;
  if (last !== 0 && atMs - last < mergedMs) return;
  table[slot + lastAt] = atMs;
  table[slot + contactsAt]! += 1;
  if (last === 0) return;
  const seconds = (atMs - last) / 1000;
  const [mean, counted] = [table[slot + meanAt]!, table[slot + contactsAt]! - 2 - table[slot + pausesAt]!];
  if (counted > 0 && seconds > missedFactor * mean) {
    table[slot + pausesAt]! += 1;
    if (table[slot + pausesAt]! > counted + fewIntervals) restart(table, slot, seconds);
    return;
  }
  if (counted > 0 && counted < fewIntervals && seconds < mean / missedFactor) {
    // The first ones were the pauses.
    table[slot + pausesAt]! += counted;
    table[slot + meanAt] = seconds;
    table[slot + varianceAt] = 0;
    return;
  }
  const weight = 1 / Math.min(memory, counted + 1);
  const difference = seconds - mean;
  table[slot + meanAt]! += weight * difference;
  table[slot + varianceAt] = (1 - weight) * (table[slot + varianceAt]! + weight * difference * difference);
}

/** The longer intervals are the rule, after a burst at the beginning. */
function restart(table: Float64Array, slot: number, seconds: number): void {
  table[slot + contactsAt] = 2;
  table[slot + pausesAt] = 0;
  table[slot + meanAt] = seconds;
  table[slot + varianceAt] = 0;
}

/** The standard deviation of the intervals, as a share of their mean; undefined: too many were left out. */
export function variationOf({ contacts, mean, variance, pauses }: Contact): number | undefined {
  if (pauses > contacts / 4 || mean <= 0) return undefined;
  // Readings are seconds apart: no interval is measured more precisely.
  return Math.max(Math.sqrt(variance) / mean, leastVariation);
}

const leastVariation = 0.02;

const viewOf = (table: Float64Array, slot: number): Contact => ({
  firstMs: table[slot + firstAt]!,
  lastMs: table[slot + lastAt]!,
  contacts: table[slot + contactsAt]!,
  mean: table[slot + meanAt]!,
  variance: table[slot + varianceAt]!,
  sent: Math.max(0, table[slot + sentAt]!),
  pauses: table[slot + pausesAt]!,
});
