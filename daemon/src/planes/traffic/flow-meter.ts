import type { CountedFlow } from "../../engines/conntrack/flows.parse.ts";
import type { Usage } from "../../ledger/traffic-rollup.ts";

/** What a connection transferred since it was last counted. */
export interface FlowDelta {
  readonly flow: CountedFlow;
  readonly usage: Usage;
}

/** Id of a connection and its counters: packets and bytes sent, packets and bytes received. */
export type CountedBefore = readonly [id: number, sentPackets: number, sent: number, packets: number, bytes: number];

export interface FlowMeter {
  /** A listing of all connections begins. What ends from now on is not counted twice. */
  begin(): void;
  /** A connection has ended, with these last counters. */
  ended(flow: CountedFlow): void;
  /** The listing is complete. Returns what all connections, ended ones too, transferred since the last one. */
  listed(flows: readonly CountedFlow[]): FlowDelta[];
  /** What has been counted of current connections: the state of a meter that continues here. */
  counted(): CountedBefore[];
}

interface Known {
  readonly sentPackets: number;
  readonly sent: number;
  readonly packets: number;
  readonly bytes: number;
  /** Listings without it. */
  missing: number;
}

/** Listings that a connection may be missing from before its end counts as unreported. */
const maxMissing = 2;

/**
 * Counters of connections → what was transferred between two listings. A connection is counted once, whether it is listed,
 * ends, or both. Without `before` the connections of the first listing began at an unknown time: only what follows is counted.
 */
export function flowMeter(before?: readonly CountedBefore[]): FlowMeter {
  const known = new Map<number, Known>(
    before?.map(([id, sentPackets, sent, packets, bytes]) => [id, { sentPackets, sent, packets, bytes, missing: 0 }]),
  );
  let isFirst = before === undefined;
  let endedMeanwhile = new Set<number>();
  let waiting: FlowDelta[] = [];

  function since(flow: CountedFlow): FlowDelta {
    const last = known.get(flow.id);
    const isReset = last !== undefined && (flow.sent.bytes < last.sent || flow.received.bytes < last.bytes);
    const from = last && !isReset ? last : nothing;
    return {
      flow,
      usage: {
        sentPackets: flow.sent.packets - from.sentPackets,
        sentBytes: flow.sent.bytes - from.sent,
        receivedPackets: flow.received.packets - from.packets,
        receivedBytes: flow.received.bytes - from.bytes,
        connections: last && !isReset ? 0 : 1,
      },
    };
  }

  const store = ({ id, sent, received }: CountedFlow): void =>
    void known.set(id, {
      sentPackets: sent.packets,
      sent: sent.bytes,
      packets: received.packets,
      bytes: received.bytes,
      missing: 0,
    });

  return {
    begin: () => (endedMeanwhile = new Set()),
    ended: (flow) => {
      endedMeanwhile.add(flow.id);
      if (!isFirst || known.has(flow.id)) waiting.push(since(flow));
      known.delete(flow.id);
    },
    listed: (flows) => {
      const current = flows.filter(({ id }) => !endedMeanwhile.has(id));
      const deltas = isFirst ? waiting : [...waiting, ...current.map(since)];
      waiting = [];
      isFirst = false;
      const ids = new Set(current.map(({ id }) => id));
      for (const [id, it] of known) if (!ids.has(id) && ++it.missing > maxMissing) known.delete(id);
      for (const flow of current) store(flow);
      return deltas;
    },
    counted: () =>
      [...known].map(([id, { sentPackets, sent, packets, bytes }]) => [id, sentPackets, sent, packets, bytes]),
  };
}

const nothing = { sentPackets: 0, sent: 0, packets: 0, bytes: 0 };
