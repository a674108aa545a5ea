import type { System } from "../system/system.ts";

/** A burst of events is one reason to look: an apply alone says thousands of lines. */
const calmMs = 150;

/** What `nft monitor` says, line by line; it knows which lines are worth a look, and when we were deaf. */
interface Commits {
  heard(line: string): boolean;
  missed(): void;
}

/** So long a listener may take before it hears everything. */
const openEarsMs = 1000;

/**
 * Tells when links, addresses, routes or rules changed, whoever changed them, and when a stranger changed nftables.
 * Our own changes of routes are heard too; the look that follows finds nothing to do and so says nothing more.
 */
export function watchKernel(system: System, commits: Commits, onChange: () => void): { stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  let opening: NodeJS.Timeout | undefined;
  const heard = () => void (timer ??= setTimeout(tell, calmMs));
  function tell(): void {
    timer = undefined;
    onChange();
  }
  const ears = [
    system.follow("ip", ["-o", "monitor", "link", "address", "route", "rule"], heard),
    system.follow("nft", ["monitor"], (line) => commits.heard(line) && heard(), listening),
  ];
  function listening(): void {
    commits.missed();
    clearTimeout(opening);
    opening = setTimeout(() => {
      commits.missed();
      heard();
    }, openEarsMs);
  }
  return {
    stop: () => {
      clearTimeout(timer);
      clearTimeout(opening);
      for (const ear of ears) ear.stop();
    },
  };
}
