import { type Counted, remembered } from "./hits.model.ts";
import { fromClassid } from "../marks.model.ts";

/** `nft -j list set …` → number → what was counted under it. */
export function hitsIn(json: string): ReadonlyMap<number, Counted> {
  const { nftables = [] } = JSON.parse(json) as { nftables?: readonly { readonly set?: HitSet }[] };
  return new Map(
    nftables
      .flatMap(({ set }) => set?.elem ?? [])
      .map(({ elem: { val, expires, counter } }) => [
        fromClassid(val),
        // nft leaves out the parts of a second that are left.
        { connections: counter.packets, idleSec: Math.max(0, remembered.seconds - expires - 1) },
      ]),
  );
}

interface HitSet {
  readonly elem?: readonly {
    readonly elem: { readonly val: string; readonly expires: number; readonly counter: { readonly packets: number } };
  }[];
}
