import { listenLocally } from "../../system/local-listener.ts";
import type { System } from "../../system/system.ts";
import { usersByPort } from "../sockets/sockets.parse.ts";
import { decodeMessage, framesOf, type LogRecord } from "./log.parse.ts";

interface Needs {
  readonly system: Pick<System, "readText">;
  readonly port: number;
  /** Whether a user ID belongs to a frontend. */
  readonly isFrontend: (userId: number) => boolean;
  /** A small batch, soon after its records arrived. It may not throw. */
  readonly onBatch: (records: readonly LogRecord[]) => void;
}

export interface LogReceiver {
  readonly counts: () => ReceiverCounts;
  /** Delivers what has arrived, and stops. */
  close(): void;
}

/** Since it was opened. */
export interface ReceiverCounts {
  readonly records: number;
  /** Arrived faster than they could be processed. */
  readonly dropped: number;
  /** Connections with invalid data, and of other users. */
  readonly broken: number;
  readonly refused: number;
  readonly connections: number;
}

/**
 * Receives the log of the frontends. Any program of this machine could connect and send forged
 * records, so the user of the other end is checked before a byte is read.
 */
export function openLogReceiver({ system, port, isFrontend, onBatch }: Needs): LogReceiver {
  const counts = { records: 0, dropped: 0, broken: 0, refused: 0 };
  const connections = new Set<Connection>();
  let unverified: Connection[] = [];
  let checking: NodeJS.Timeout | undefined;
  let queue: LogRecord[] = [];
  let flushing: NodeJS.Timeout | undefined;
  let turn: NodeJS.Immediate | undefined;

  const listener = listenLocally(port, (connection) => {
    if (connections.size >= maxConnections) {
      counts.refused++;
      connection.close();
      return;
    }
    connections.add(connection);
    connection.onClose(() => connections.delete(connection));
    unverified.push(connection);
    // One check for all connections of a short interval: its cost grows with the number of connections.
    checking ??= setTimeout(admit, checkMs);
  });

  function admit(): void {
    checking = undefined;
    const users = usersByPort(system.readText("/proc/net/tcp") ?? "", port);
    for (const connection of unverified) {
      const user = users.get(connection.port);
      if (user !== undefined && isFrontend(user)) receive(connection);
      else {
        counts.refused++;
        connection.close();
      }
    }
    unverified = [];
  }

  function receive(connection: Connection): void {
    let kept = new Uint8Array();
    connection.onBytes((bytes) => {
      const all = kept.length === 0 ? bytes : Buffer.concat([kept, bytes]);
      const { frames, rest } = framesOf(all);
      kept = Uint8Array.from(all.subarray(rest));
      for (const frame of frames) {
        if (queue.length >= maxQueued) {
          counts.dropped++;
          continue;
        }
        const decoded = decodeMessage(all, frame);
        if (decoded.kind === "answer") queue.push(decoded.record);
        if (decoded.kind !== "garbage") continue;
        // The start of the next record is unknown. A disconnected frontend reconnects.
        counts.broken++;
        connection.close();
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

  /** In small batches, so that other work of this process is not delayed. */
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
    counts: () => ({ ...counts, connections: connections.size }),
    close: () => {
      listener.close();
      clearTimeout(checking);
      for (const connection of connections) connection.close();
      while (queue.length > 0) handOn();
      clearTimeout(flushing);
      clearImmediate(turn);
    },
  };
}

type Connection = Parameters<Parameters<typeof listenLocally>[1]>[0];

const soonMs = 200;
const enough = 2000;
const turnRecords = 400;
/** About ten megabytes. */
const maxQueued = 20_000;
/** One per frontend, and some for reconnects before the old one is closed. */
const maxConnections = 600;
const checkMs = 20;
