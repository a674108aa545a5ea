import type { System } from "../system/system.ts";
import type { NeighbourEntry } from "./neighbours.ts";

/** A network card on a LAN, with the addresses it was seen with. */
export interface Sighting {
  readonly mac: string;
  readonly interface: string;
  /** The one seen last first. */
  readonly addresses: readonly string[];
  readonly firstMs: number;
  /** null: it was in the table when the daemon started, and has not been seen since. */
  readonly lastMs: number | null;
}

interface Needs {
  readonly system: Pick<System, "readText" | "writeAtomically">;
  /** Cards that were announced already; the file lasts until the next boot. */
  readonly file: string;
  readonly nowMs: () => number;
  readonly isKnown: (sighting: Sighting) => boolean;
  readonly onDiscovered: (sighting: Sighting) => void;
}

interface Card {
  interface: string;
  firstMs: number;
  lastMs: number | null;
  /** Address → whether the kernel holds it for reachable now. */
  readonly addresses: Map<string, boolean>;
}

export type Sightings = ReturnType<typeof openSightings>;

/**
 * When each network card on the LANs was last seen, from the neighbour table. Bounded: a client that invents addresses or
 * cards displaces those seen longest ago, and the rate of events is limited.
 */
export function openSightings({ system, file, nowMs, isKnown, onDiscovered }: Needs) {
  const cards = new Map<string, Card>();
  const announced = new Set(readAnnounced(system, file));
  let allowance = { sinceMs: -Infinity, left: 0 };

  /** `isLive`: the kernel reports a change now; otherwise the line is from its table, and may be old. */
  function see({ mac, address, interface: name, state }: NeighbourEntry, isLive: boolean): void {
    if (isGroup(mac)) return;
    const now = nowMs();
    const isReachable = state === "REACHABLE";
    const card = cards.get(mac) ?? { interface: name, firstMs: now, lastMs: null, addresses: new Map() };
    card.interface = name;
    // DELAY and PROBE are states of the gateway's own probing, no sign of the device.
    if (isReachable || (isLive && state === "STALE")) card.lastMs = now;
    card.addresses.delete(address);
    card.addresses.set(address, isReachable);
    bound(card.addresses, maxAddresses);
    cards.delete(mac);
    cards.set(mac, card);
    bound(cards, maxCards);
    announce(sighting(mac, card), now);
  }

  function announce(seen: Sighting, now: number): void {
    if (announced.has(seen.mac) || isKnown(seen)) return;
    if (now - allowance.sinceMs > 60_000) allowance = { sinceMs: now, left: maxEventsPerMinute };
    if (allowance.left === 0) return;
    allowance.left -= 1;
    announced.add(seen.mac);
    bound(announced, maxCards);
    system.writeAtomically(file, JSON.stringify([...announced]), 0o600);
    onDiscovered(seen);
  }

  function sighting(mac: string, card: Card): Sighting {
    const isHere = [...card.addresses.values()].includes(true);
    return {
      mac,
      interface: card.interface,
      addresses: [...card.addresses.keys()].toReversed(),
      firstMs: card.firstMs,
      lastMs: isHere ? nowMs() : card.lastMs,
    };
  }

  return {
    see,
    /** The kernel dropped an address from its table. */
    gone: (address: string): void => {
      for (const card of cards.values())
        if (card.addresses.get(address)) {
          card.addresses.set(address, false);
          card.lastMs = nowMs();
        }
    },
    lastSeenMs: (mac: string): number | null => {
      const card = cards.get(mac);
      return card ? sighting(mac, card).lastMs : null;
    },
    /** Cards of unknown devices, the one seen last first. */
    unknown: (limit: number): Sighting[] =>
      [...cards]
        .toReversed()
        .map(([mac, card]) => sighting(mac, card))
        .filter((it) => !isKnown(it))
        .toSorted((a, b) => (b.lastMs ?? 0) - (a.lastMs ?? 0))
        .slice(0, limit),
  };
}

/** Multicast and broadcast addresses belong to no interface. */
const isGroup = (mac: string): boolean => (Number.parseInt(mac.slice(0, 2), 16) & 1) === 1;

/** Removes the oldest. */
function bound(all: Map<string, unknown> | Set<string>, max: number): void {
  for (const key of all.keys()) {
    if (all.size <= max) return;
    all.delete(key);
  }
}

function readAnnounced(system: Pick<System, "readText">, file: string): string[] {
  try {
    return JSON.parse(system.readText(file) ?? "[]") as string[];
  } catch {
    return []; // Incomplete: the cards are announced once more.
  }
}

const maxCards = 4096;
const maxAddresses = 32;
const maxEventsPerMinute = 30;
