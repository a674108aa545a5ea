export interface Traffic {
  readonly packets: number;
  /** With their headers. */
  readonly bytes: number;
}

/** `nft -j list counters …` → what each counter of a table has counted. */
export function countersIn(json: string, table: string): ReadonlyMap<string, Traffic> {
  const { nftables = [] } = JSON.parse(json) as { nftables?: readonly { readonly counter?: Counter }[] };
  return new Map(
    nftables.flatMap(({ counter }) =>
      counter && `${counter.family} ${counter.table}` === table
        ? [[counter.name, { packets: counter.packets, bytes: counter.bytes }] as const]
        : [],
    ),
  );
}

interface Counter extends Traffic {
  readonly family: string;
  readonly table: string;
  readonly name: string;
}
