import { attempts } from "./attempts.render.ts";

/** What one sender has tried. */
export interface Attempted {
  readonly mac: string;
  readonly packets: number;
  /** Since the last of them, in whole seconds. */
  readonly idleSec: number;
}

/** `nft -j list set …` of a set that counts attempts. */
export function attemptsIn(json: string): Attempted[] {
  const { nftables = [] } = JSON.parse(json) as { nftables?: readonly { readonly set?: AttemptListing }[] };
  return nftables
    .flatMap(({ set }) => set?.elem ?? [])
    .map(({ elem: { val, expires, counter } }) => ({
      mac: val,
      packets: counter.packets,
      // nft leaves out the parts of a second that are left.
      idleSec: Math.max(0, attempts.remembered.seconds - expires - 1),
    }));
}

interface AttemptListing {
  readonly elem?: readonly {
    readonly elem: { readonly val: string; readonly expires: number; readonly counter: { readonly packets: number } };
  }[];
}
