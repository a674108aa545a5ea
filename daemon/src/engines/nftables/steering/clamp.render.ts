import type { Ruleset } from "../nftables.model.ts";
import { type Chain, interfaces } from "../table.model.ts";

/**
 * Many networks drop "packet too big" messages, and connections then hang. The MSS is clamped while a connection
 * begins; the kernel never raises it.
 */
export function clampChain(clamps: Ruleset["clamps"]): Chain[] {
  if (clamps.length === 0) return [];
  const bySize = Map.groupBy(clamps, ({ mtu }) => mtu);
  const rules = [...bySize].flatMap(([mtu, all]) => {
    const names = interfaces(all.map((it) => it.interface));
    return ["iifname", "oifname"].flatMap((side) => [
      `${side} ${names} meta nfproto ipv4 tcp option maxseg size set ${mtu - 40}`,
      `${side} ${names} meta nfproto ipv6 tcp option maxseg size set ${mtu - 60}`,
    ]);
  });
  return [{ name: "clamp", rules: ["tcp flags & (syn | rst) != syn accept", "meta l4proto != tcp accept", ...rules] }];
}
