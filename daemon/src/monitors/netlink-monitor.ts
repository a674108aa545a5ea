import type { System } from "../system/system.ts";

/** A burst of events is one reason to look: an apply alone says thousands of lines. */
const debounceMs = 150;

/** So long a listener may take before it hears everything. */
const startupMs = 1000;

/** What `nft monitor` says, line by line; it knows which lines are worth a look. */
interface Commits {
  isForeignChange(line: string): boolean;
  invalidate(): void;
  quickCheck(): void;
}

/** Hears of links, addresses, routes and rules, whoever changed them, and of nftables when a stranger did. */
export interface NetlinkMonitor {
  /** How often one of the first four changed, or may have. */
  readonly changes: () => number;
  /** Whatever was heard so far, everything is worth a look now. */
  invalidate(): void;
  /** Half of that, in turns, and without what is costly to look at: the rest is left to what is heard. */
  quickCheck(): void;
  /**
   * Begins to listen and tells of changes. Our own changes of routes are heard too; the look that follows finds nothing
   * to do and so says nothing more.
   */
  listen(onChange: () => void): { stop(): void };
}

/** Links that are passing come and go, and change, without being worth a look; what is done by them is. */
export function openNetlinkMonitor(
  system: System,
  commits: Commits,
  isPassing: (link: string) => boolean,
): NetlinkMonitor {
  let changes = 0;
  function invalidate(): void {
    changes += 1;
    commits.invalidate();
  }

  function listen(onChange: () => void): { stop(): void } {
    let calming: NodeJS.Timeout | undefined;
    let opening: NodeJS.Timeout | undefined;
    function tell(): void {
      calming ??= setTimeout(() => {
        calming = undefined;
        onChange();
      }, debounceMs);
    }
    function moved(line: string): void {
      const link = /^\d+: ([^:@]+)[:@]/.exec(line)?.[1];
      if (link !== undefined && isPassing(link)) return;
      changes += 1;
      tell();
    }
    /** A listener that ends, or begins, has missed something, and perhaps something of its first moments too. */
    function gap(): void {
      invalidate();
      tell();
      clearTimeout(opening);
      opening = setTimeout(() => {
        invalidate();
        tell();
      }, startupMs);
    }
    const ears = [
      system.follow("ip", ["-o", "monitor", "link", "address", "route", "rule"], moved, gap),
      system.follow("nft", ["monitor"], (line) => commits.isForeignChange(line) && tell(), gap),
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
  function quickCheck(): void {
    isTurnOfRules = !isTurnOfRules;
    if (isTurnOfRules) commits.quickCheck();
    else changes += 1;
  }
  return { changes: () => changes, invalidate, quickCheck, listen };
}
