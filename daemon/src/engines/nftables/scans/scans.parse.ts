import { recordedSec } from "./scans.render.ts";

/** How many targets were new for a sender, since its element exists. */
export interface CountedSender {
  readonly mac: string;
  readonly targets: number;
}

/** Where a sender opened a connection to. */
export interface Target {
  readonly mac: string;
  readonly address: string;
  readonly protocol: string;
  readonly port: number;
  /** Since its first packet: at most this long. nft leaves out the parts of a second that are left. */
  readonly ageSec: number;
}

type Elements<Value> = readonly {
  readonly elem: { readonly val: Value; readonly expires: number; readonly counter?: { readonly packets: number } };
}[];

/** `nft -j list set …` of the set of senders. */
export const sendersIn = (json: string): CountedSender[] =>
  elementsOf<string>(json).map(({ elem: { val, counter } }) => ({ mac: val, targets: counter?.packets ?? 0 }));

/** `nft -j list set …` of a set of targets. */
export const targetsIn = (json: string): Target[] =>
  elementsOf<{ readonly concat: readonly [string, string, string | number, number] }>(json).map(
    ({ elem: { val, expires } }) => {
      const [mac, address, protocol, port] = val.concat;
      return { mac, address, protocol: String(protocol), port, ageSec: recordedSec - expires };
    },
  );

/** `nft -j list counters …`: the packets of this counter. */
export function packetsIn(json: string, name: string): number {
  const { nftables = [] } = JSON.parse(json) as { nftables?: readonly { readonly counter?: Counter }[] };
  return nftables.find(({ counter }) => counter?.name === name)?.counter?.packets ?? 0;
}

interface Counter {
  readonly name: string;
  readonly packets: number;
}

function elementsOf<Value>(json: string): Elements<Value> {
  const { nftables = [] } = JSON.parse(json) as { nftables?: readonly { readonly set?: { elem?: Elements<Value> } }[] };
  return nftables.flatMap(({ set }) => set?.elem ?? []);
}
