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

/** `nft -j list set …` → source and destination → the number under which their last decision is counted. */
export function decidedIn(json: string): ReadonlyMap<string, number> {
  const { nftables = [] } = JSON.parse(json) as { nftables?: readonly { readonly set?: DecidedSet }[] };
  const newest = new Map<string, { readonly number: number; readonly expires: number }>();
  for (const { elem } of nftables.flatMap(({ set }) => set?.elem ?? [])) {
    const [source = "", destination = "", number = ""] = elem.val.concat;
    const pair = pairKey(source, destination);
    if (elem.expires >= (newest.get(pair)?.expires ?? 0))
      newest.set(pair, { number: fromClassid(number), expires: elem.expires });
  }
  return new Map([...newest].map(([pair, { number }]) => [pair, number]));
}

export const pairKey = (source: string, destination: string): string => `${source} ${destination}`;

interface DecidedSet {
  readonly elem?: readonly {
    readonly elem: { readonly val: { readonly concat: readonly string[] }; readonly expires: number };
  }[];
}
