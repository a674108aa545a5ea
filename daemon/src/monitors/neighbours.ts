import type { System } from "../system/system.ts";

/** The MAC address of an IP address. */
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

/** The addresses of devices on the LANs. */
export interface Neighbours {
  /** The same array while nothing changes. */
  readonly list: () => readonly Neighbour[];
  /** Starts the monitor, and reports each address that is new or has another MAC. */
  listen(onChange: () => void): { stop(): void };
}

/** Several addresses of a device cause one notification. */
const debounceMs = 20;

/** A notification costs in proportion to the entries: the minimum interval grows with each. */
const minIntervalMsPerEntry = 0.1;

/** A new monitor process may miss events for this long. */
const startupMs = 1000;

/** The whole table is read again in this interval, for events that were lost. */
const rereadMs = 300_000;

/** A bound against invented addresses; the oldest are removed first. */
const maxEntries = 65_536;

/**
 * The kernel's neighbour table decides about every address in it. A sleeping device drops out of it: its last entry stays
 * until another device answers for the address, so that its rules exist when it wakes up.
 */
export function openNeighbours(
  system: Pick<System, "run" | "follow">,
  lan: () => readonly string[],
  sightings: Sightings = { see: () => {}, gone: () => {}, failed: () => {} },
): Neighbours {
  const macs = new Map<string, string>();
  let cachedList: readonly Neighbour[] | undefined;

  /** Returns whether the entry is new. The latest entry is removed last. */
  function see(line: string, isLive: boolean): boolean {
    const seen = neighbourIn(line);
    if (!seen || !lan().includes(seen.interface)) return false;
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
    /** Events during a read of the table may be older or newer than it: they are applied again after it. */
    let meanwhile: string[] | undefined;
    function onLine(line: string): void {
      meanwhile?.push(line);
      const dropped = droppedIn(line);
      if (dropped !== undefined) sightings.gone(dropped);
      const silent = silentIn(line);
      if (silent !== undefined) sightings.failed(silent);
      if (see(line, true)) notify();
    }
    async function readTable(): Promise<void> {
      if (meanwhile) return;
      meanwhile = [];
      try {
        const lines = (await system.run("ip", ["-o", "neigh", "show"])).split("\n");
        // Not `some`: every line has to be processed.
        if ([...lines, ...meanwhile].map((line) => see(line, false)).includes(true)) notify();
      } catch {
        // The table is read again later; events are processed meanwhile.
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

/** Receives every line about a LAN; `isLive`: the kernel reports a change now. */
interface Sightings {
  readonly see: (entry: NeighbourEntry, isLive: boolean) => void;
  readonly gone: (address: string) => void;
  /** The kernel probed the address, and no device answered. */
  readonly failed: (address: string) => void;
}

const droppedIn = (line: string): string | undefined => /^Deleted ([0-9a-f.:]+) dev /.exec(line)?.[1];

const silentIn = (line: string): string | undefined => /^([0-9a-f.:]+) dev \S+ .*\bFAILED *$/.exec(line)?.[1];

/** A line of `ip neigh`, or of its monitor; undefined if it has no MAC that answered. */
export function neighbourIn(line: string): NeighbourEntry | undefined {
  const found = /^([0-9a-f.:]+) dev (\S+) lladdr ([0-9a-f:]{17}) .*?([A-Z]+) *$/.exec(line);
  if (!found || !trustedStates.has(found[4]!)) return undefined;
  return { address: found[1]!, interface: found[2]!, mac: found[3]!, state: found[4]! };
}

const trustedStates = new Set(["REACHABLE", "STALE", "DELAY", "PROBE", "PERMANENT"]);
