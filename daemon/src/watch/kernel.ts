import type { System } from "../system/system.ts";

/** A burst of events is one reason to look: an apply alone says thousands of lines. */
const calmMs = 150;

/**
 * Tells when links, addresses, routes, rules or nftables changed, whoever changed them. Our own changes are heard too;
 * the look that follows finds nothing to do and so says nothing more.
 */
export function watchKernel(system: System, onChange: () => void): { stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  const heard = () => void (timer ??= setTimeout(tell, calmMs));
  function tell(): void {
    timer = undefined;
    onChange();
  }
  const ears = [
    system.follow("ip", ["-o", "monitor", "link", "address", "route", "rule"], heard),
    system.follow("nft", ["monitor"], heard),
  ];
  return {
    stop: () => {
      clearTimeout(timer);
      for (const ear of ears) ear.stop();
    },
  };
}
