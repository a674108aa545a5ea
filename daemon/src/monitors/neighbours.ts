import type { System } from "../system/system.ts";

/** Who answers for an address. */
export interface Neighbour {
  readonly mac: string;
  readonly address: string;
}

/** A line of the kernel's neighbour table. */
export interface NeighbourEntry extends Neighbour {
  readonly interface: string;
  /** Such as REACHABLE or STALE. */
  readonly state: string;
}

/** Which addresses those behind the LANs have. */
export interface Neighbours {
  /** The same list for as long as it says the same. */
  readonly list: () => readonly Neighbour[];
  /** Begins to listen, and tells of each address that has come to somebody, or to somebody else. */
  listen(onChange: () => void): { stop(): void };
}

/** So soon after somebody was seen it is told; whoever comes with several addresses comes once. */
const debounceMs = 20;

/** The more there are, the more it costs to tell: not more often than this, for each that is known. */
const minIntervalMsPerEntry = 0.1;

/** A listener may take so long before it hears everything. */
const startupMs = 1000;

/** What was said faster than anybody could listen is found by then. */
const rereadMs = 300_000;

/** Of whoever makes up addresses on end, only so many are remembered; the oldest go first. */
const maxEntries = 65_536;

/**
 * The kernel's neighbour table is the truth for every address that is in it. Who has fallen asleep drops out of it: what was
 * known last stands until somebody else answers for the address, so that a device that wakes up finds its rules there.
 */
export function openNeighbours(
  system: Pick<System, "run" | "follow">,
  lan: readonly string[],
  sightings: Sightings = { see: () => {}, gone: () => {} },
): Neighbours {
  const macs = new Map<string, string>();
  let cachedList: readonly Neighbour[] | undefined;

  /** Tells whether anything is new. Whoever is seen last is forgotten last. */
  function see(line: string, isLive: boolean): boolean {
    const seen = neighbourIn(line);
    if (!seen || !lan.includes(seen.interface)) return false;
    sightings.see(seen, isLive);
    const isNew = macs.get(seen.address) !== seen.mac;
    macs.delete(seen.address);
    macs.set(seen.address, seen.mac);
    if (isNew) cachedList = undefined;
    for (const address of macs.keys()) {
      if (macs.size <= maxEntries) break;
      macs.delete(address);
    }
    return isNew;
  }

  function listen(onChange: () => void): { stop(): void } {
    let pending: NodeJS.Timeout | undefined;
    let notifiedAtMs = -Infinity;
    function notify(): void {
      const waitMs = Math.max(debounceMs, notifiedAtMs + macs.size * minIntervalMsPerEntry - performance.now());
      pending ??= setTimeout(() => {
        pending = undefined;
        notifiedAtMs = performance.now();
        onChange();
      }, waitMs);
    }
    /** Lines that are heard while the table is read may be older or newer than it; said once more, they are neither. */
    let meanwhile: string[] | undefined;
    function onLine(line: string): void {
      meanwhile?.push(line);
      const dropped = droppedIn(line);
      if (dropped !== undefined) sightings.gone(dropped);
      if (see(line, true)) notify();
    }
    async function readTable(): Promise<void> {
      if (meanwhile) return;
      meanwhile = [];
      try {
        const lines = (await system.run("ip", ["-o", "neigh", "show"])).split("\n");
        // Not `some`: every line counts.
        if ([...lines, ...meanwhile].map((line) => see(line, false)).includes(true)) notify();
      } catch {
        // Whoever cannot be asked now is asked again; what is heard counts all the same.
      } finally {
        meanwhile = undefined;
      }
    }
    let startup: NodeJS.Timeout | undefined;
    const monitor = system.follow("ip", ["-o", "monitor", "neigh"], onLine, () => {
      void readTable();
      clearTimeout(startup);
      startup = setTimeout(() => void readTable(), startupMs);
    });
    const rounds = setInterval(() => void readTable(), rereadMs);
    return {
      stop: () => {
        monitor.stop();
        clearTimeout(pending);
        clearTimeout(startup);
        clearInterval(rounds);
      },
    };
  }

  return { list: () => (cachedList ??= [...macs].map(([address, mac]) => ({ mac, address }))), listen };
}

/** Is told of every line about a LAN; `isLive`: the kernel reports a change now. */
interface Sightings {
  readonly see: (entry: NeighbourEntry, isLive: boolean) => void;
  readonly gone: (address: string) => void;
}

const droppedIn = (line: string): string | undefined => /^Deleted ([0-9a-f.:]+) dev /.exec(line)?.[1];

/** A line of `ip neigh`, or of its monitor. Nothing if it names nobody who answers. */
export function neighbourIn(line: string): NeighbourEntry | undefined {
  const found = /^([0-9a-f.:]+) dev (\S+) lladdr ([0-9a-f:]{17}) .*?([A-Z]+) *$/.exec(line);
  if (!found || !trustedStates.has(found[4]!)) return undefined;
  return { address: found[1]!, interface: found[2]!, mac: found[3]!, state: found[4]! };
}

const trustedStates = new Set(["REACHABLE", "STALE", "DELAY", "PROBE", "PERMANENT"]);
