import type { Fact } from "./fact.ts";
import type { NeighbourEntry } from "./neighbours.ts";

/** A network card on a LAN, with what was observed about it. */
export interface Sighting {
  /** In order of discovery. */
  readonly number: number;
  readonly mac: string;
  readonly interface: string;
  /** The one seen last first, with the time at which it was. */
  readonly addresses: readonly SeenAddress[];
  readonly facts: readonly Fact[];
  readonly firstMs: number;
  /** null: it was in the table when the daemon started, and has not been seen since. */
  readonly lastMs: number | null;
  /** It answered, or sent something, a short time ago. */
  readonly isOnline: boolean;
}

interface SeenAddress {
  readonly address: string;
  readonly seenMs: number;
}

/** What is stored of a card. */
export interface StoredCard {
  readonly number: number;
  readonly mac: string;
  readonly interface: string;
  readonly addresses: readonly SeenAddress[];
  readonly facts: readonly Fact[];
  readonly firstMs: number;
  readonly lastMs: number | null;
  readonly isAnnounced: boolean;
  /** As the last event reported it. */
  readonly wasOnline: boolean;
}

interface Card {
  readonly number: number;
  interface: string;
  readonly firstMs: number;
  lastMs: number | null;
  /** isFixed: the kernel has a static entry, which an operator or a program made. */
  readonly addresses: Map<string, { seenMs: number; isReachable: boolean; isFixed?: boolean }>;
  readonly facts: Map<string, Fact>;
  isAnnounced: boolean;
  wasOnline: boolean;
  /** Something was received from it since the daemon started, and since it was last offline. */
  isOnline: boolean;
  /** Addresses that did not answer since the last sign of the card. */
  misses: number;
  probedMs: number;
  storedMs: number;
  isChanged: boolean;
}

export type Sightings = ReturnType<typeof openSightings>;

/**
 * The network cards on the LANs: when each was seen, with which addresses, and what it said about itself. Bounded: a client that
 * invents addresses or cards displaces those seen longest ago.
 */
export function openSightings({ nowMs }: { readonly nowMs: () => number }) {
  const cards = new Map<string, Card>();
  const owners = new Map<string, string>();
  /** Of cards that the neighbour table does not have yet: a DHCP client sends before it has an address. */
  const early = new Map<string, readonly Fact[]>();
  const removed = new Set<string>();
  const startedMs = nowMs();
  let next = 1;

  /** `isLive`: the kernel reports a change now; otherwise the line is from its table, and may be old. */
  function see({ mac, address, interface: name, state }: NeighbourEntry, isLive: boolean): void {
    if (isGroup(mac)) return;
    const now = nowMs();
    const isReachable = state === "REACHABLE";
    const card = cards.get(mac) ?? created(mac, name, now);
    if (card.interface !== name) card.isChanged = true;
    card.interface = name;
    // DELAY and PROBE are states of the gateway's own probing, no sign of the device.
    const before = card.addresses.get(address);
    const isSign = isReachable || (isLive && (state === "STALE" || before?.isReachable === true));
    if (isSign) present(card, now);
    if (!before) card.isChanged = true;
    card.addresses.delete(address);
    const isFixed = state === "PERMANENT" || state === "NOARP";
    card.addresses.set(address, { seenMs: isSign ? now : (before?.seenMs ?? now), isReachable, isFixed });
    bound(card.addresses, maxAddresses);
    owners.delete(address);
    owners.set(address, mac);
    bound(owners, maxOwners);
    keep(mac, card);
  }

  function created(mac: string, name: string, now: number): Card {
    const card: Card = { ...blank(), number: next++, interface: name, firstMs: now, addresses: new Map() };
    removed.delete(mac);
    for (const fact of early.get(mac) ?? []) add(card, fact);
    early.delete(mac);
    return card;
  }

  /** The card seen last is the last one. */
  function keep(mac: string, card: Card): void {
    cards.delete(mac);
    cards.set(mac, card);
    for (const oldest of cards.keys()) {
      if (cards.size <= maxCards) return;
      cards.delete(oldest);
      removed.add(oldest);
    }
  }

  /** `isLive`: the device has just sent it. */
  function learn(mac: string, facts: readonly Fact[], isLive: boolean): void {
    const card = cards.get(mac);
    if (!card) {
      early.set(mac, facts);
      bound(early, maxEarly);
      return;
    }
    for (const fact of facts) add(card, fact);
    if (!isLive) return;
    present(card, nowMs());
    keep(mac, card);
  }

  function sighting(mac: string, card: Card): Sighting {
    const isHere = isReachableNow(card);
    return {
      number: card.number,
      mac,
      interface: card.interface,
      addresses: [...card.addresses]
        .toReversed()
        .map(([address, { seenMs, isReachable }]) => ({ address, seenMs: isReachable ? nowMs() : seenMs })),
      facts: [...card.facts.values()],
      firstMs: card.firstMs,
      lastMs: isHere ? nowMs() : card.lastMs,
      isOnline: card.isOnline,
    };
  }

  /** The cards whose state differs from the one that was reported. They are reported now. */
  function transitions(): {
    readonly discovered: Sighting[];
    readonly online: Sighting[];
    readonly offline: Sighting[];
  } {
    const now = nowMs();
    const changed = { discovered: [] as Sighting[], online: [] as Sighting[], offline: [] as Sighting[] };
    for (const [mac, card] of cards) {
      const isSilent = !isReachableNow(card) && now - Math.max(card.lastMs ?? 0, startedMs) > silentMs;
      if (card.isOnline && isSilent) card.isOnline = false;
      const isGone = !card.isOnline && (card.misses >= maxMisses || isSilent);
      if (!card.isAnnounced) changed.discovered.push(sighting(mac, card));
      else if (card.isOnline && !card.wasOnline) changed.online.push(sighting(mac, card));
      else if (card.wasOnline && isGone) changed.offline.push(sighting(mac, card));
      else continue;
      // Of one that is discovered, that it is online is no news.
      card.wasOnline = card.isOnline;
      card.isAnnounced = true;
      card.isChanged = true;
    }
    return changed;
  }

  /** Addresses of cards without a sign for a while; each is to be probed. The oldest first. */
  function toProbe(limit: number): { readonly address: string; readonly interface: string }[] {
    const now = nowMs();
    const probed: { address: string; interface: string }[] = [];
    for (const card of cards.values()) {
      if (probed.length >= limit) break;
      if (isReachableNow(card) || card.misses >= maxMisses) continue;
      const pauseMs = card.misses > 0 ? againMs : idleMs;
      const lastMs = Math.max(card.isOnline && card.lastMs !== null ? card.lastMs : -Infinity, card.probedMs);
      if (now - lastMs < pauseMs) continue;
      // `use` would turn an operator's static entry into an ordinary one.
      const probeable = [...card.addresses].filter(([, { isFixed }]) => isFixed !== true);
      const latest = probeable.map(([it]) => it).toReversed();
      const address = latest.find((it) => !it.includes(":")) ?? latest[0];
      if (address === undefined) continue;
      card.probedMs = now;
      probed.push({ address, interface: card.interface });
    }
    return probed;
  }

  return {
    see,
    learn,
    transitions,
    toProbe,
    /** The kernel dropped an address from its table. */
    gone: (address: string): void => {
      const card = cards.get(owners.get(address) ?? "");
      const entry = card?.addresses.get(address);
      if (!card || !entry?.isReachable) return;
      [entry.isReachable, entry.seenMs, card.lastMs] = [false, nowMs(), nowMs()];
    },
    /** The kernel probed the address, and no device answered. */
    failed: (address: string): void => {
      const card = cards.get(owners.get(address) ?? "");
      if (!card) return;
      const entry = card.addresses.get(address);
      if (entry) entry.isReachable = false;
      if (isReachableNow(card)) return;
      card.misses += 1;
      if (card.misses >= maxMisses) card.isOnline = false;
    },
    lastSeenMs: (mac: string): number | null => {
      const card = cards.get(mac);
      return card ? sighting(mac, card).lastMs : null;
    },
    /** The card that answered for the address last. */
    macOf: (address: string): string | undefined => owners.get(address),
    get: (mac: string): Sighting | undefined => {
      const card = cards.get(mac);
      return card && sighting(mac, card);
    },
    /** The one seen last first. */
    all: (): Sighting[] => [...cards].toReversed().map(([mac, card]) => sighting(mac, card)),
    /** Cards of an earlier daemon. Whether they are still there has to be probed. */
    restore: (stored: readonly StoredCard[]): void => {
      for (const { mac, addresses, facts, ...card } of stored.toSorted((a, b) => (a.lastMs ?? 0) - (b.lastMs ?? 0))) {
        if (cards.has(mac)) continue;
        next = Math.max(next, card.number + 1);
        const entries = addresses
          .toReversed()
          .map(({ address, seenMs }) => [address, { seenMs, isReachable: false }] as const);
        for (const [address] of entries) owners.set(address, mac);
        const restored: Card = {
          ...blank(),
          ...card,
          storedMs: card.lastMs ?? card.firstMs,
          isChanged: false,
          addresses: new Map(entries),
        };
        for (const fact of facts) restored.facts.set(keyOf(fact), fact);
        cards.set(mac, restored);
      }
    },
    /**
     * What has to be written: changed cards, and those whose stored time is older than the interval. `afterMs`: 0 writes every new
     * time.
     */
    unstored: (afterMs: number): { readonly cards: readonly StoredCard[]; readonly removed: readonly string[] } => {
      const due = [...cards].filter(
        ([, card]) => card.isChanged || (isReachableNow(card) ? nowMs() : (card.lastMs ?? 0)) - card.storedMs > afterMs,
      );
      const written = due.map(([mac, card]): StoredCard => {
        const { addresses, facts, number, interface: name, firstMs, lastMs } = sighting(mac, card);
        card.isChanged = false;
        card.storedMs = lastMs ?? firstMs;
        const { isAnnounced, wasOnline } = card;
        return { number, mac, interface: name, addresses, facts, firstMs, lastMs, isAnnounced, wasOnline };
      });
      const dropped = [...removed];
      removed.clear();
      return { cards: written, removed: dropped };
    },
    /** Removes cards that were seen last before this time. */
    forget: (beforeMs: number, isKept: (it: Sighting) => boolean): void => {
      for (const [mac, card] of cards) {
        if ((card.lastMs ?? card.firstMs) >= beforeMs || isKept(sighting(mac, card))) continue;
        cards.delete(mac);
        removed.add(mac);
      }
    },
  };
}

const blank = () => ({
  lastMs: null,
  facts: new Map<string, Fact>(),
  isAnnounced: false,
  wasOnline: false,
  isOnline: false,
  misses: 0,
  probedMs: -Infinity,
  storedMs: -Infinity,
  isChanged: true,
});

function present(card: Card, now: number): void {
  [card.lastMs, card.misses, card.isOnline] = [now, 0, true];
}

const isReachableNow = (card: Card): boolean => [...card.addresses.values()].some(({ isReachable }) => isReachable);

/** The newest value of each field and source; a source may have several names. */
function add(card: Card, fact: Fact): void {
  const key = keyOf(fact);
  if (card.facts.get(key)?.value !== fact.value) card.isChanged = true;
  card.facts.delete(key);
  card.facts.set(key, fact);
}

const keyOf = ({ field, source }: Fact): string => `${field} ${source}`;

/** Multicast and broadcast addresses belong to no interface. */
const isGroup = (mac: string): boolean => (Number.parseInt(mac.slice(0, 2), 16) & 1) === 1;

/** Removes the oldest. */
function bound(all: Map<string, unknown>, max: number): void {
  for (const key of all.keys()) {
    if (all.size <= max) return;
    all.delete(key);
  }
}

/** More than a LAN of 10,000 devices has: a card that is displaced would be discovered again. */
const maxCards = 16_384;
const maxAddresses = 32;
const maxOwners = 65_536;
const maxEarly = 1024;
/** A card without a sign for this long is probed; one that did not answer is probed again twice. */
const idleMs = 120_000;
const againMs = 20_000;
const maxMisses = 3;
/** Without any sign for this long a card is offline, even if it could not be probed. */
const silentMs = 600_000;
