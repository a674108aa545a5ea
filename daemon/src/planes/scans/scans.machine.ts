import type { CountedSender, Target } from "../../engines/nftables/scans/scans.parse.ts";
import { recordedSec } from "../../engines/nftables/scans/scans.render.ts";
import { fewestTargets, isScan } from "./scan.ts";

/** What is known of one sender. Times are in milliseconds since the machine started. */
interface Sender {
  /** The kernel's counter at the last examination of its targets. */
  readonly examined: number;
  /** When its targets were reported. */
  readonly reportedMs: number | null;
  /** Those that were; null: an earlier daemon has reported them, and their age decides, which is in whole seconds. */
  readonly reported: ReadonlySet<string> | null;
}
export type Senders = ReadonlyMap<string, Sender>;

export interface PortScan {
  readonly mac: string;
  /** New ones since the last report about the same sender. */
  readonly targets: readonly Target[];
}

/** A scan that lasts is reported again after this time. */
export const reportAgainMs = 30_000;

/** Reading the targets costs more than counting them: they are read when a sender has so many new ones. */
const newTargets = fewestTargets / 2;

/** Senders whose targets should be read. */
export const suspects = (senders: Senders, counted: readonly CountedSender[], nowMs: number): string[] =>
  counted.flatMap(({ mac, targets }) => {
    const { examined = 0, reportedMs = null } = senders.get(mac) ?? {};
    // Fewer than before: the kernel has counted from 0 again.
    const grown = targets < examined ? targets : targets - examined;
    const isDue = reportedMs === null || nowMs - reportedMs >= reportAgainMs;
    return grown >= newTargets && isDue ? [mac] : [];
  });

interface Examination {
  readonly senders: Senders;
  readonly suspected: readonly string[];
  readonly counted: readonly CountedSender[];
  readonly targets: readonly Target[];
  readonly nowMs: number;
}

/** The targets of suspected senders → the scans among them. */
export function examine({ senders, suspected, counted, targets, nowMs }: Examination) {
  const next = new Map(senders);
  const scans: PortScan[] = [];
  for (const mac of suspected) {
    const before = senders.get(mac);
    const all = targets.filter((it) => it.mac === mac);
    const unreported = all.filter((it) => !wasReported(it, before, nowMs));
    const found = isScan(unreported);
    if (found) scans.push({ mac, targets: unreported });
    const examined = counted.find((it) => it.mac === mac)?.targets ?? 0;
    const { reportedMs = null, reported = null } = before ?? {};
    next.set(
      mac,
      found ? { examined, reportedMs: nowMs, reported: new Set(all.map(keyOf)) } : { examined, reportedMs, reported },
    );
  }
  return { senders: forgetting(next, counted, nowMs), scans };
}

/** The kernel removes a target some time after it was recorded: later it is a new one. */
function wasReported(target: Target, sender: Sender | undefined, nowMs: number): boolean {
  if (!sender || sender.reportedMs === null) return false;
  const sinceSec = (nowMs - sender.reportedMs) / 1000;
  if (sinceSec > recordedSec) return false;
  return sender.reported ? sender.reported.has(keyOf(target)) : target.ageSec >= sinceSec;
}

const keyOf = ({ address, protocol, port }: Target): string => `${address} ${protocol} ${port}`;

/** Senders whose element the kernel has removed, and whose reported targets it has removed too. */
function forgetting(senders: Senders, counted: readonly CountedSender[], nowMs: number): Senders {
  const present = new Set(counted.map(({ mac }) => mac));
  const isOver = ({ reportedMs }: Sender) => reportedMs === null || nowMs - reportedMs > recordedSec * 1000;
  return new Map([...senders].filter(([mac, it]) => present.has(mac) || !isOver(it)));
}
