export const lastings = ["day", "month", "quarter", "year", "forever"] as const;
export type Lasting = (typeof lastings)[number];

const days: Readonly<Record<Exclude<Lasting, "forever">, number>> = { day: 1, month: 30, quarter: 90, year: 365 };

/** Expiry of a key that is created now; null: never. */
export const endOf = (lasting: Lasting, now: Date): string | null =>
  lasting === "forever" ? null : new Date(now.getTime() + days[lasting] * 86_400_000).toISOString();
