import { because } from "@portcullis/contract/reason";
import { type Contact, newForMs, variationOf } from "./contacts.ts";
import { evidence, type Finding, type Observation, rounded } from "./finding.ts";
import { countrySlots, type Profile } from "./profile.ts";
import { decayed } from "./sketches.ts";
import { scoreOf, type Thresholds } from "./thresholds.ts";

const [codeAt, firstAt, periodAt, periodsAt, connectionsAt] = [0, 1, 2, 3, 4];
const dayMs = 86_400_000;
const periodMs = 900_000;
const rateHalfLifeMs = 14 * dayMs;
/** A country without traffic for this long is new again. */
const keptDays = 180;

interface Traffic {
  readonly country: string;
  readonly destination: string;
  readonly connections: number;
  /** undefined: the destination is known. */
  readonly contact: Contact | undefined;
}

/**
 * Repeated connections to a new destination in a country to which the device had none. A known destination in a new country was moved by
 * its provider, which is not reported; nor is a device that reaches new countries regularly. Connections at regular intervals are
 * the subject of another detector.
 */
export function newCountry(
  profile: Profile,
  { country, destination, connections, contact }: Traffic,
  observation: Observation,
): Finding | undefined {
  const { atMs, isLearned, limits } = observation;
  const index = indexOf(country);
  if (index === undefined) return undefined;
  const isNewDestination = contact !== undefined && atMs - contact.firstMs < newForMs;
  const slot = slotFor(profile, index, isNewDestination, atMs);
  profile.countries[index] = dayOf(atMs);
  if (slot === undefined || connections === 0) return undefined;
  const table = profile.newCountries;
  const period = Math.floor(atMs / periodMs);
  if (table[slot + periodAt] !== period) table[slot + periodsAt]! += 1;
  table[slot + periodAt] = period;
  table[slot + connectionsAt]! += connections;
  if (table[slot + periodsAt]! < limits.leastCountryPeriods) return undefined;
  if (contact && isRegular(contact, limits)) return undefined;
  const rate = rateOf(profile, atMs);
  if (!isLearned || rate > limits.countriesPerWeek) return undefined;
  const seen = table[slot + connectionsAt]!;
  return {
    kind: "new_country",
    cause: country,
    score: scoreOf(limits.countriesPerWeek, Math.max(rate, limits.countriesPerWeek / 9)),
    reason: because("anomaly_new_country", { destination, country, connections: seen }),
    evidence: evidence(
      [
        { measure: "connections", observed: seen, expected: null, unit: "connections" },
        { measure: "new_countries_per_week", observed: 1, expected: rounded(rate), unit: "countries" },
      ],
      { destinations: [destination], country },
    ),
  };
}

/** A page that loads itself again, or a beacon, which the other detector reports if it continues. */
function isRegular(contact: Contact, { intervalVariation }: Thresholds): boolean {
  const variation = variationOf(contact);
  return contact.contacts >= fewContacts && variation !== undefined && variation <= intervalVariation;
}

const fewContacts = 5;

/** The slot of a country while it is new: for as long as a destination is. Then it is part of the baseline. */
function slotFor(profile: Profile, index: number, isNewDestination: boolean, atMs: number): number | undefined {
  const table = profile.newCountries;
  const existing = slotOf(table, index);
  if (existing !== undefined) {
    if (atMs - table[existing + firstAt]! <= newForMs) return existing;
    close(profile, existing, atMs);
    return undefined;
  }
  const last = profile.countries[index]!;
  const isNew = last === 0 || dayOf(atMs) - last > keptDays;
  if (!isNew || !isNewDestination || profile.numbers.activeDays < settledDays) return undefined;
  const slot = oldest(table);
  close(profile, slot, atMs);
  table[slot + codeAt] = index + 1;
  table[slot + firstAt] = atMs;
  return slot;
}

/** What was repeated counts for the rate at which the device reaches new countries. */
function close(profile: Profile, slot: number, atMs: number): void {
  const table = profile.newCountries;
  if (table[slot + periodsAt]! >= repeatedPeriods) addToRate(profile, atMs);
  table.fill(0, slot, slot + countrySlots.fields);
}

const repeatedPeriods = 3;
/** In its first days every country is new. */
const settledDays = 2;

/** An exponentially decayed count, as a rate: its mean age is the half-life divided by ln 2. */
function rateOf({ numbers }: Profile, atMs: number): number {
  const count = decayed(numbers.countryRate, atMs - numbers.countryRateMs, rateHalfLifeMs);
  const settledMs = Math.max(0, atMs - numbers.firstMs - settledDays * dayMs);
  const meanAgeMs = rateHalfLifeMs / Math.LN2;
  const weightMs = meanAgeMs * (1 - 2 ** (-settledMs / rateHalfLifeMs));
  return (count / Math.max(weightMs, dayMs)) * 7 * dayMs;
}

function addToRate({ numbers }: Profile, atMs: number): void {
  numbers.countryRate = decayed(numbers.countryRate, atMs - numbers.countryRateMs, rateHalfLifeMs) + 1;
  numbers.countryRateMs = atMs;
}

/** Every pair of letters has a place; other codes have none. */
function indexOf(country: string): number | undefined {
  if (!/^[A-Z]{2}$/.test(country)) return undefined;
  return (country.charCodeAt(0) - 65) * 26 + country.charCodeAt(1) - 65;
}

/** Days since 2020, never 0. */
const dayOf = (atMs: number): number => Math.max(1, Math.floor(atMs / dayMs) - 18_262);

function slotOf(table: Float64Array, index: number): number | undefined {
  for (let slot = 0; slot < table.length; slot += countrySlots.fields)
    if (table[slot + codeAt] === index + 1) return slot;
  return undefined;
}

function oldest(table: Float64Array): number {
  let found = 0;
  for (let slot = 0; slot < table.length; slot += countrySlots.fields)
    if (table[slot + firstAt]! < table[found + firstAt]!) found = slot;
  return found;
}
