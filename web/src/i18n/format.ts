/** Numbers, sizes and times in the conventions of one language. */
export interface Format {
  readonly number: (value: number, digits?: number) => string;
  readonly percent: (share: number) => string;
  readonly bytes: (bytes: number) => string;
  /** In bits, the unit of line rates. */
  readonly rate: (bytesPerSecond: number) => string;
  readonly ms: (milliseconds: number) => string;
  /** "4 seconds ago", "in 2 minutes". */
  readonly ago: (at: Date, now: Date) => string;
  readonly exact: (at: Date) => string;
  readonly clock: (at: Date) => string;
  /** "14:05": a label on an axis. */
  readonly minute: (at: Date) => string;
  /** "2 Mar": a day on an axis. */
  readonly date: (at: Date) => string;
  /** "Monday, 2 March 2026". */
  readonly day: (at: Date) => string;
  /** 95 → "1:35": for a countdown. */
  readonly countdown: (seconds: number) => string;
  /** 93784 → "1 day 2 h". */
  readonly duration: (seconds: number) => string;
  readonly list: (items: readonly string[]) => string;
}

/** The regional variant that the browser prefers: times and dates differ between en-US and en-GB. */
export const regional = (language: string, preferred: readonly string[]): string =>
  preferred.find((it) => it === language || it.startsWith(`${language}-`)) ?? language;

interface TimeWords {
  readonly now: string;
  readonly day: (count: number) => string;
}

export function formatFor(language: string, words: TimeWords): Format {
  // Created once: a formatter is expensive, and long lists have thousands of numbers.
  const plain = new Intl.NumberFormat(language);
  const [whole, tenths] = [0, 1].map(
    (digits) => new Intl.NumberFormat(language, { maximumFractionDigits: digits }),
  ) as [Intl.NumberFormat, Intl.NumberFormat];
  const share = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 });
  const relative = new Intl.RelativeTimeFormat(language, { numeric: "always" });
  const exact = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "medium" });
  const clock = new Intl.DateTimeFormat(language, { timeStyle: "medium" });
  const minute = new Intl.DateTimeFormat(language, { timeStyle: "short" });
  const date = new Intl.DateTimeFormat(language, { day: "numeric", month: "short" });
  const day = new Intl.DateTimeFormat(language, { dateStyle: "full" });
  const conjunction = new Intl.ListFormat(language);
  const scaled = (value: number, step: number, units: readonly string[]): string => {
    let [rest, unit] = [value, 0];
    while (rest >= step && unit < units.length - 1) [rest, unit] = [rest / step, unit + 1];
    return `${(unit === 0 || rest >= 100 ? whole : tenths).format(rest)} ${units[unit]}`;
  };
  return {
    number: (value, digits) =>
      digits === undefined ? plain.format(value) : value.toLocaleString(language, { maximumFractionDigits: digits }),
    percent: (part) => share.format(part),
    bytes: (bytes) => scaled(bytes, 1024, ["B", "KiB", "MiB", "GiB", "TiB"]),
    rate: (bytesPerSecond) => scaled(bytesPerSecond * 8, 1000, ["bit/s", "kbit/s", "Mbit/s", "Gbit/s"]),
    ms: (milliseconds) => `${(milliseconds < 10 ? tenths : whole).format(milliseconds)} ms`,
    ago: (at, now) => {
      const seconds = Math.round((at.getTime() - now.getTime()) / 1000);
      if (Math.abs(seconds) < 2) return words.now;
      const [unit, size] = units.find(([, largest]) => Math.abs(seconds) >= largest) ?? (["second", 1] as const);
      return relative.format(Math.trunc(seconds / size), unit);
    },
    exact: (at) => exact.format(at),
    clock: (at) => clock.format(at),
    minute: (at) => minute.format(at),
    date: (at) => date.format(at),
    day: (at) => day.format(at),
    countdown: (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`,
    duration: (seconds) => {
      const [days, hours, minutes] = [seconds / 86_400, (seconds % 86_400) / 3600, (seconds % 3600) / 60].map(
        Math.floor,
      ) as [number, number, number];
      if (days > 0) return `${words.day(days)} ${hours} h`;
      if (hours > 0) return `${hours} h ${minutes} min`;
      return minutes > 0 ? `${minutes} min` : `${Math.floor(seconds)} s`;
    },
    list: (items) => conjunction.format(items),
  };
}

const units = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const;
