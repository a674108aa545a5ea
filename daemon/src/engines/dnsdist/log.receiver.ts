import { listenLocally } from "../../system/local-listener.ts";
import type { System } from "../../system/system.ts";
import { usersByPort } from "../sockets/sockets.parse.ts";
import { decodeMessage, framesOf, type LogRecord } from "./log.parse.ts";

interface Needs {
  readonly system: Pick<System, "readText">;
  readonly port: number;
  /** Whether a user of the machine is one of those that fronts run as. */
  readonly isFrontend: (userId: number) => boolean;
  /** Few enough to be dealt with at once, soon after they were said. It may not throw. */
  readonly onBatch: (records: readonly LogRecord[]) => void;
}

export interface LogReceiver {
  readonly counts: () => ReceiverCounts;
  /** Hands on what has arrived, and hears no more. */
  close(): void;
}

/** Since it was opened. */
export interface ReceiverCounts {
  readonly records: number;
  /** Came faster than they could be dealt with. */
  readonly dropped: number;
  /** Connections that spoke no sense, and those of strangers. */
  readonly broken: number;
  readonly refused: number;
  readonly connections: number;
}

/**
 * Hears what the fronts write down. Any program of this machine could come to the door and make up what devices are
 * said to have asked for, so the kernel is asked whose the other end is before a byte is read.
 */
export function openLogReceiver({ system, port, isFrontend, onBatch }: Needs): LogReceiver {
  const counts = { records: 0, dropped: 0, broken: 0, refused: 0 };
  const guests = new Set<Guest>();
  let strangers: Guest[] = [];
  let looking: NodeJS.Timeout | undefined;
  let queue: LogRecord[] = [];
  let flushing: NodeJS.Timeout | undefined;
  let turn: NodeJS.Immediate | undefined;

  const reception = listenLocally(port, (guest) => {
    if (guests.size >= mostGuests) {
      counts.refused++;
      guest.close();
      return;
    }
    guests.add(guest);
    guest.onClose(() => guests.delete(guest));
    strangers.push(guest);
    // One look for all who come within a moment: it costs more the more connections the gateway has.
    looking ??= setTimeout(admit, lookMs);
  });

  function admit(): void {
    looking = undefined;
    const users = usersByPort(system.readText("/proc/net/tcp") ?? "", port);
    for (const guest of strangers) {
      const user = users.get(guest.port);
      if (user !== undefined && isFrontend(user)) hear(guest);
      else {
        counts.refused++;
        guest.close();
      }
    }
    strangers = [];
  }

  function hear(guest: Guest): void {
    let kept = new Uint8Array();
    guest.onBytes((bytes) => {
      const all = kept.length === 0 ? bytes : Buffer.concat([kept, bytes]);
      const { frames, rest } = framesOf(all);
      kept = Uint8Array.from(all.subarray(rest));
      for (const frame of frames) {
        if (queue.length >= mostQueued) {
          counts.dropped++;
          continue;
        }
        const decoded = decodeMessage(all, frame);
        if (decoded.kind === "answer") queue.push(decoded.record);
        if (decoded.kind !== "garbage") continue;
        // Where the next record begins is anybody's guess now. A front that is cut off begins anew.
        counts.broken++;
        guest.close();
        break;
      }
      handOnSoon();
    });
  }

  function handOnSoon(): void {
    if (queue.length === 0 || turn !== undefined) return;
    if (queue.length >= enough) turn = setImmediate(handOn);
    else flushing ??= setTimeout(handOn, soonMs);
  }

  /** A little at a time: between two turns everybody else in this process has theirs. */
  function handOn(): void {
    clearTimeout(flushing);
    [flushing, turn] = [undefined, undefined];
    const batch = queue.slice(0, turnRecords);
    queue = queue.slice(turnRecords);
    counts.records += batch.length;
    if (queue.length > 0) turn = setImmediate(handOn);
    if (batch.length > 0) onBatch(batch);
  }

  return {
    counts: () => ({ ...counts, connections: guests.size }),
    close: () => {
      reception.close();
      clearTimeout(looking);
      for (const guest of guests) guest.close();
      while (queue.length > 0) handOn();
      clearTimeout(flushing);
      clearImmediate(turn);
    },
  };
}

type Guest = Parameters<Parameters<typeof listenLocally>[1]>[0];

const soonMs = 200;
const enough = 2000;
const turnRecords = 400;
/** About ten megabytes. */
const mostQueued = 20_000;
/** As many as there are fronts, and some that come anew before the old one is known to be gone. */
const mostGuests = 600;
const lookMs = 20;
