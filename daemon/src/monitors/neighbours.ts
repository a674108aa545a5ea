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
const soonMs = 20;

/** The more there are, the more it costs to tell: not more often than this, for each that is known. */
const apartMsEach = 0.1;

/** A listener may take so long before it hears everything. */
const openEarsMs = 1000;

/** What was said faster than anybody could listen is found by then. */
const wholeLookMs = 300_000;

/** Of whoever makes up addresses on end, only so many are remembered; the oldest go first. */
const most = 65_536;

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
  let told: readonly Neighbour[] | undefined;

  /** Tells whether anything is new. Whoever is seen last is forgotten last. */
  function see(line: string, isLive: boolean): boolean {
    const seen = neighbourIn(line);
    if (!seen || !lan.includes(seen.interface)) return false;
    sightings.see(seen, isLive);
    const isNew = macs.get(seen.address) !== seen.mac;
    macs.delete(seen.address);
    macs.set(seen.address, seen.mac);
    if (isNew) told = undefined;
    for (const address of macs.keys()) {
      if (macs.size <= most) break;
      macs.delete(address);
    }
    return isNew;
  }

  function listen(onChange: () => void): { stop(): void } {
    let telling: NodeJS.Timeout | undefined;
    let toldAtMs = -Infinity;
    function tell(): void {
      const waitMs = Math.max(soonMs, toldAtMs + macs.size * apartMsEach - performance.now());
      telling ??= setTimeout(() => {
        telling = undefined;
        toldAtMs = performance.now();
        onChange();
      }, waitMs);
    }
    /** Lines that are heard while the table is read may be older or newer than it; said once more, they are neither. */
    let meanwhile: string[] | undefined;
    function hear(line: string): void {
      meanwhile?.push(line);
      const dropped = droppedIn(line);
      if (dropped !== undefined) sightings.gone(dropped);
      if (see(line, true)) tell();
    }
    async function look(): Promise<void> {
      if (meanwhile) return;
      meanwhile = [];
      try {
        const lines = (await system.run("ip", ["-o", "neigh", "show"])).split("\n");
        // Not `some`: every line counts.
        if ([...lines, ...meanwhile].map((line) => see(line, false)).includes(true)) tell();
      } catch {
        // Whoever cannot be asked now is asked again; what is heard counts all the same.
      } finally {
        meanwhile = undefined;
      }
    }
    let opening: NodeJS.Timeout | undefined;
    const ear = system.follow("ip", ["-o", "monitor", "neigh"], hear, () => {
      void look();
      clearTimeout(opening);
      opening = setTimeout(() => void look(), openEarsMs);
    });
    const rounds = setInterval(() => void look(), wholeLookMs);
    return {
      stop: () => {
        ear.stop();
        clearTimeout(telling);
        clearTimeout(opening);
        clearInterval(rounds);
      },
    };
  }

  return { list: () => (told ??= [...macs].map(([address, mac]) => ({ mac, address }))), listen };
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
  if (!found || !believed.has(found[4]!)) return undefined;
  return { address: found[1]!, interface: found[2]!, mac: found[3]!, state: found[4]! };
}

const believed = new Set(["REACHABLE", "STALE", "DELAY", "PROBE", "PERMANENT"]);
