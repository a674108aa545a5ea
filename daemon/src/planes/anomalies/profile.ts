import { decayed } from "./sketches.ts";

/**
 * The baseline of one device, and what is under observation now. Its size does not depend on what the device does: names and
 * addresses are present as hashes only.
 */
export interface Profile {
  readonly device: string;
  readonly numbers: Record<NumberField, number>;
  /** Bytes sent in each of the last 24 hours. */
  readonly sentByHour: Float64Array;
  /** Of each hour of a working day and of a day of the weekend: how often it was observed. */
  readonly hoursSeen: Uint16Array;
  /** The largest volume within such an hour, as a power of two. */
  readonly hourPeaks: Float32Array;
  /** Destinations and domains that are known: of this period and of the one before. */
  readonly known: Uint8Array;
  readonly knownBefore: Uint8Array;
  /** The day of the last connection to each country; 0: none. */
  readonly countries: Uint16Array;
  /** New destinations, in slots. */
  readonly contacts: Float64Array;
  /** New countries, in slots. */
  readonly newCountries: Float64Array;
  /** Domains with long names below them, in slots. */
  readonly domains: Float64Array;
  /** Bitmaps that count the different names of each of these domains. */
  readonly domainNames: Uint32Array;
}

const numberFields = [
  "firstMs",
  "activeDays",
  "learnedMs",
  "lastDay",
  "hourMs",
  "sentThisHour",
  "receivedThisHour",
  "queriesThisHour",
  "peakMs",
  "peakSentDay",
  "peakSentNew",
  "peakQueries",
  "sentDays",
  "sentLogMean",
  "sentLogVariance",
  "unusualHours",
  "unusualSinceMs",
  "knownSinceMs",
  "countryRate",
  "countryRateMs",
] as const;
type NumberField = (typeof numberFields)[number];

/** Fields of a slot, and how many slots there are. */
export const contactSlots = { count: 24, fields: 8 } as const;
export const countrySlots = { count: 6, fields: 5 } as const;
export const domainSlots = { count: 12, fields: 5, words: 8 } as const;
const countryCount = 26 * 26;
const hourCount = 48;
const filterBytes = 1024;

const layout = {
  sentByHour: () => new Float64Array(24),
  hoursSeen: () => new Uint16Array(hourCount),
  hourPeaks: () => new Float32Array(hourCount),
  known: () => new Uint8Array(filterBytes),
  knownBefore: () => new Uint8Array(filterBytes),
  countries: () => new Uint16Array(countryCount),
  contacts: () => new Float64Array(contactSlots.count * contactSlots.fields),
  newCountries: () => new Float64Array(countrySlots.count * countrySlots.fields),
  domains: () => new Float64Array(domainSlots.count * domainSlots.fields),
  domainNames: () => new Uint32Array(domainSlots.count * domainSlots.words),
} as const;
type Part = keyof typeof layout;
const parts = Object.keys(layout) as Part[];

/** What a device whose class has the log level counts does not have. */
const destinationParts: readonly Part[] = [
  "known",
  "knownBefore",
  "countries",
  "contacts",
  "newCountries",
  "domains",
  "domainNames",
];

export function newProfile(device: string, atMs: number): Profile {
  const numbers = Object.fromEntries(numberFields.map((it) => [it, 0])) as Record<NumberField, number>;
  const arrays = Object.fromEntries(parts.map((it) => [it, layout[it]()])) as unknown as Omit<
    Profile,
    "device" | "numbers"
  >;
  return { device, numbers: { ...numbers, firstMs: atMs, peakMs: atMs, knownSinceMs: atMs }, ...arrays };
}

/** Bytes of a profile in memory, without the overhead of objects. */
export const profileBytes = 8 * numberFields.length + parts.reduce((sum, it) => sum + layout[it]().byteLength, 0);

export function forgetDestinations(profile: Profile): void {
  for (const part of destinationParts) profile[part].fill(0);
  profile.numbers.peakSentNew = 0;
  profile.numbers.countryRate = 0;
}

export const hasDestinations = (profile: Profile): boolean =>
  destinationParts.some((part) => profile[part].some((it) => it !== 0));

export const writeProfile = (profile: Profile): string =>
  JSON.stringify({
    version,
    device: profile.device,
    numbers: profile.numbers,
    ...Object.fromEntries(parts.map((it) => [it, bytesOf(profile[it]).toString("base64")])),
  });

/** undefined: of another version, or damaged. */
export function readProfile(text: string): Profile | undefined {
  const stored = JSON.parse(text) as { version: number; device: string } & Record<string, unknown>;
  if (stored.version !== version) return undefined;
  const profile = newProfile(stored.device, 0);
  Object.assign(profile.numbers, stored["numbers"]);
  for (const part of parts) {
    const bytes = Buffer.from(stored[part] as string, "base64");
    if (bytes.length !== profile[part].byteLength) return undefined;
    bytesOf(profile[part]).set(bytes);
  }
  return profile;
}

/** Another layout or another meaning of a field: stored profiles are dropped, and devices are learned anew. */
const version = 1;

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);

const peakHalfLifeMs = 28 * 86_400_000;

/** Peaks lose weight with time, once an hour. */
export function decayPeaks({ numbers }: Profile, atMs: number): void {
  const elapsedMs = atMs - numbers.peakMs;
  for (const field of ["peakSentDay", "peakSentNew", "peakQueries"] as const)
    numbers[field] = decayed(numbers[field], elapsedMs, peakHalfLifeMs);
  numbers.peakMs = atMs;
}

/** An anomaly raises its baseline by half at most, so that it does not hide the next one. */
export function raisePeak(
  { numbers }: Profile,
  field: "peakSentDay" | "peakSentNew" | "peakQueries",
  value: number,
  isAnomalous: boolean,
): void {
  const most = isAnomalous ? numbers[field] * 1.5 : Number.POSITIVE_INFINITY;
  numbers[field] = Math.max(numbers[field], Math.min(value, most));
}
