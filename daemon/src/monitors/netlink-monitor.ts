import type { System } from "../system/system.ts";

/** Many events cause one reconcile cycle: an apply alone produces thousands of lines. */
const debounceMs = 150;

/** A new monitor process may miss events for this long. */
const startupMs = 1000;

/** Classifies the lines of `nft monitor`. */
interface Commits {
  isForeignChange(line: string): boolean;
  invalidate(): void;
  quickCheck(): void;
}

/** Monitors links, addresses, routes and rules, whichever program changes them, and foreign changes of nftables. */
export interface NetlinkMonitor {
  /** How often links, addresses, routes or rules changed, or may have. */
  readonly changes: () => number;
  /** Everything has to be read again. */
  invalidate(): void;
  /** Routes and rules in turns, without the costly parts, which rely on events. */
  quickCheck(): void;
  /**
   * Starts the monitors and reports changes. Our own changes of routes are reported too; the reconcile cycle that follows
   * finds no difference, so there is no loop.
   */
  listen(onChange: () => void): { stop(): void };
}

/** Events of temporary links are ignored; their addresses and routes are not. */
export function openNetlinkMonitor(
  system: System,
  commits: Commits,
  isTemporary: (link: string) => boolean,
): NetlinkMonitor {
  let changes = 0;
  function invalidate(): void {
    changes += 1;
    commits.invalidate();
  }

  function listen(onChange: () => void): { stop(): void } {
    let pending: NodeJS.Timeout | undefined;
    let startup: NodeJS.Timeout | undefined;
    function notify(): void {
      pending ??= setTimeout(() => {
        pending = undefined;
        onChange();
      }, debounceMs);
    }
    function onLine(line: string): void {
      const link = /^\d+: ([^:@]+)[:@]/.exec(line)?.[1];
      if (link !== undefined && isTemporary(link)) return;
      changes += 1;
      notify();
    }
    /** A monitor that ends or starts has missed events, also during its start. */
    function onGap(): void {
      invalidate();
      notify();
      clearTimeout(startup);
      startup = setTimeout(() => {
        invalidate();
        notify();
      }, startupMs);
    }
    const monitors = [
      system.follow("ip", ["-o", "monitor", "link", "address", "route", "rule"], onLine, onGap),
      system.follow("nft", ["monitor"], (line) => commits.isForeignChange(line) && notify(), onGap),
    ];
    return {
      stop: () => {
        clearTimeout(pending);
        clearTimeout(startup);
        for (const monitor of monitors) monitor.stop();
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
