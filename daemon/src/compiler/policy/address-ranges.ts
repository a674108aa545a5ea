import { addressWidth, type Cidr, formatAddress, lastAddress } from "../../net/addresses.ts";

/** Consecutive addresses of the same rank. */
export interface AddressRange {
  readonly first: bigint;
  readonly last: bigint;
  readonly rank: number;
}

export interface RangesByFamily {
  readonly v4: readonly AddressRange[];
  readonly v6: readonly AddressRange[];
}

/**
 * Overlapping networks → disjoint ranges in order, each with the lowest rank of all networks that cover it.
 * A sweep over the ends of the networks: the heap holds the ranks that are open at each point.
 */
export function disjointRanges(networks: readonly { readonly network: Cidr; readonly rank: number }[]): AddressRange[] {
  const ends = networks.flatMap(({ network, rank }) => {
    const first = network.base;
    return [
      { at: first, opens: true, rank },
      { at: lastAddress(network) + 1n, opens: false, rank },
    ];
  });
  ends.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  const open = rankHeap();
  const ranges: { first: bigint; last: bigint; rank: number }[] = [];
  for (let index = 0; index < ends.length; ) {
    const { at } = ends[index]!;
    for (; index < ends.length && ends[index]!.at === at; index++)
      if (ends[index]!.opens) open.add(ends[index]!.rank);
      else open.remove(ends[index]!.rank);
    const lowest = open.lowest();
    const next = ends[index]?.at;
    if (lowest === undefined || next === undefined) continue;
    const before = ranges.at(-1);
    if (before && before.rank === lowest && before.last === at - 1n) before.last = next - 1n;
    else ranges.push({ first: at, last: next - 1n, rank: lowest });
  }
  return ranges;
}

/** A range as nft writes it: an address, a network where the range is one, or first and last address. */
export function rangeKey(first: bigint, last: bigint, family: 4 | 6): string {
  const [from, to] = [first, last].map((value) => formatAddress({ family, value }));
  if (from === to) return from!;
  const hostBits = (first ^ last).toString(2).length;
  const isNetwork = (first ^ last) === (1n << BigInt(hostBits)) - 1n && first % (1n << BigInt(hostBits)) === 0n;
  return isNetwork ? `${from}/${addressWidth[family] - hostBits}` : `${from}-${to}`;
}

/** The range of an address, by binary search. */
export function rangeAt(ranges: readonly AddressRange[], address: bigint): AddressRange | undefined {
  let low = 0;
  let high = ranges.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const range = ranges[middle]!;
    if (range.first > address) high = middle - 1;
    else if (range.last < address) low = middle + 1;
    else return range;
  }
  return undefined;
}

/** Ranks that are open now; a removed one leaves the heap when it comes to the top. */
function rankHeap() {
  const heap: number[] = [];
  const removed = new Map<number, number>();

  function add(rank: number): void {
    heap.push(rank);
    for (let child = heap.length - 1; child > 0; ) {
      const parent = (child - 1) >> 1;
      if (heap[parent]! <= heap[child]!) return;
      swap(parent, child);
      child = parent;
    }
  }
  function dropTop(): void {
    const last = heap.pop()!;
    if (heap.length === 0) return;
    heap[0] = last;
    for (let parent = 0; ; ) {
      const left = 2 * parent + 1;
      if (left >= heap.length) return;
      const child = left + 1 < heap.length && heap[left + 1]! < heap[left]! ? left + 1 : left;
      if (heap[parent]! <= heap[child]!) return;
      swap(parent, child);
      parent = child;
    }
  }
  function swap(a: number, b: number): void {
    [heap[a], heap[b]] = [heap[b]!, heap[a]!];
  }
  return {
    add,
    remove: (rank: number) => void removed.set(rank, (removed.get(rank) ?? 0) + 1),
    lowest: (): number | undefined => {
      for (let top = heap[0]; top !== undefined && removed.get(top); top = heap[0]) {
        removed.set(top, removed.get(top)! - 1);
        dropTop();
      }
      return heap[0];
    },
  };
}
