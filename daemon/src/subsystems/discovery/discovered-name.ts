interface Named {
  readonly mac: string;
  readonly facts: readonly { readonly field: string; readonly value: string }[];
}

/** The bit of a MAC address that says that no registry assigned it. */
export const isRandom = (mac: string): boolean => (Number.parseInt(mac.slice(0, 2), 16) & 2) === 2;

/** A name for a device that has none: its own, its host name, or its vendor with the end of its MAC address. */
export function nameFrom(
  { mac, facts }: Named,
  vendor: string | null | undefined,
  isTaken: (name: string) => boolean,
): string {
  const own = ["name", "hostname"].flatMap(
    (field) => facts.find((it) => it.field === field)?.value.slice(0, maxLength) ?? [],
  );
  const tail = mac.slice(-5);
  const brand = vendor?.replace(/[ ,].*$/, "").slice(0, maxLength) || "Device";
  const base = own[0]?.trim() || `${brand} ${tail}`;
  if (!isTaken(base)) return base;
  // The end of the MAC address distinguishes two devices of one kind; the number is for two that have it in common.
  const apart = base.endsWith(tail) ? base : `${base} ${tail}`;
  for (let number = 2, name = apart; ; number += 1, name = `${apart} ${number}`) if (!isTaken(name)) return name;
}

const maxLength = 100;
