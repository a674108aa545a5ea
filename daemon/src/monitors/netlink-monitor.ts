import type { System } from "../system/system.ts";

/** A burst of events is one reason to look: an apply alone says thousands of lines. */
const calmMs = 150;

/** So long a listener may take before it hears everything. */
const openEarsMs = 1000;

/** What `nft monitor` says, line by line; it knows which lines are worth a look. */
interface Commits {
  heard(line: string): boolean;
  missed(): void;
  glance(): void;
}

/** Hears of links, addresses, routes and rules, whoever changed them, and of nftables when a stranger did. */
export interface Ears {
  /** How often one of the first four changed, or may have. */
  readonly moves: () => number;
  /** Whatever was heard so far, everything is worth a look now. */
  missed(): void;
  /** Half of that, in turns, and without what is costly to look at: the rest is left to what is heard. */
  glance(): void;
  /**
   * Begins to listen and tells of changes. Our own changes of routes are heard too; the look that follows finds nothing
   * to do and so says nothing more.
   */
  listen(onChange: () => void): { stop(): void };
}

/** Links that are passing come and go, and change, without being worth a look; what is done by them is. */
export function openEars(system: System, commits: Commits, isPassing: (link: string) => boolean): Ears {
  let moves = 0;
  function missed(): void {
    moves += 1;
    commits.missed();
  }

  function listen(onChange: () => void): { stop(): void } {
    let calming: NodeJS.Timeout | undefined;
    let opening: NodeJS.Timeout | undefined;
    function tell(): void {
      calming ??= setTimeout(() => {
        calming = undefined;
        onChange();
      }, calmMs);
    }
    function moved(line: string): void {
      const link = /^\d+: ([^:@]+)[:@]/.exec(line)?.[1];
      if (link !== undefined && isPassing(link)) return;
      moves += 1;
      tell();
    }
    /** A listener that ends, or begins, has missed something, and perhaps something of its first moments too. */
    function gap(): void {
      missed();
      tell();
      clearTimeout(opening);
      opening = setTimeout(() => {
        missed();
        tell();
      }, openEarsMs);
    }
    const ears = [
      system.follow("ip", ["-o", "monitor", "link", "address", "route", "rule"], moved, gap),
      system.follow("nft", ["monitor"], (line) => commits.heard(line) && tell(), gap),
    ];
    return {
      stop: () => {
        clearTimeout(calming);
        clearTimeout(opening);
        for (const ear of ears) ear.stop();
      },
    };
  }
  let isTurnOfRules = false;
  function glance(): void {
    isTurnOfRules = !isTurnOfRules;
    if (isTurnOfRules) commits.glance();
    else moves += 1;
  }
  return { moves: () => moves, missed, glance, listen };
}
