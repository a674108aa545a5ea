import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { HandlersOf } from "@portcullis/contract/handler";
import type { Device } from "@portcullis/contract/subsystems/devices";
import type { dnsLog } from "@portcullis/contract/subsystems/dns-log";
import { memoize } from "../../compiler/memoize.ts";
import type { LogLevels } from "./log-levels.ts";
import { ownUsers } from "../../engines/sandbox/sandbox.model.ts";
import { logPort } from "../../engines/dnsdist/dnsdist.model.ts";
import type { LogRecord } from "../../engines/dnsdist/log.parse.ts";
import { openLogReceiver } from "../../engines/dnsdist/log.receiver.ts";
import { openDnsLog } from "../../ledger/dns-log.ts";
import type { DnsCause, LoggedAnswer } from "../../ledger/dns-log-pages.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { dnsLogRoutes } from "../../subsystems/dns-log/dns-log.routes.ts";
import { type Decider, dnsLogService } from "../../subsystems/dns-log/dns-log.service.ts";
import { singleFlight } from "../../system/async.ts";
import { databaseFiles } from "../../system/database-files.ts";
import type { System } from "../../system/system.ts";

interface Needs {
  readonly ledger: Ledger;
  readonly system: System;
  readonly stateFolder: string;
  readonly now: () => Date;
  readonly warn: (sentence: string, error: unknown) => void;
  /** Whether frontends send log messages. */
  readonly isReceiving: boolean;
  readonly rowsKept: number;
  readonly levels: LogLevels;
  /** When what is published now is what counts. */
  readonly enforced: () => Promise<unknown>;
  readonly causeOf: (decider: Decider) => DnsCause | undefined;
  readonly deviceOf: (address: string) => { readonly id: string; readonly name: string } | undefined;
}

export type ReceiveAnswers = (answers: readonly Pick<LogRecord, "client" | "name" | "addresses">[]) => void;

export type ReceiveLogged = (answers: readonly LoggedAnswer[]) => void;

export interface DnsLogging {
  readonly handlers: HandlersOf<typeof dnsLog>;
  /** From now on, `receive` gets every answer with its addresses. */
  readonly onAnswers: (receive: ReceiveAnswers) => void;
  /** From now on, `receive` gets every answer that the log level of its client permits to count. */
  readonly onLogged: (receive: ReceiveLogged) => void;
  readonly keepRows: (most: number) => void;
  /** Addresses with the time of their last query. */
  readonly clients: () => readonly { readonly address: string; readonly lastMs: number }[];
  /** Queries that may be counted, since the daemon started. */
  readonly counted: () => { readonly queries: number; readonly blocked: number; readonly cached: number };
  readonly size: () => { readonly rows: number; readonly dropped: number };
  readonly close: () => void;
}

/** Receives the messages of the frontends and stores what the log levels allow. */
export function openDnsLogging(needs: Needs): DnsLogging {
  const { ledger, system, stateFolder, now, warn, isReceiving, rowsKept, levels, enforced, causeOf, deviceOf } = needs;
  const path = join(stateFolder, "dns-log.db");
  const nowMs = () => now().getTime();
  const log = openDnsLog({ path, rowsKept, nowMs, pause: () => nextTurn(), warn, ...databaseFiles(path) });
  const service = dnsLogService({
    log,
    levelOf: levels.known,
    levelNow: levels.cautious,
    causeOf,
    deviceOf,
    droppedBefore: () => receiver?.counts().dropped ?? 0,
    onLogged: (answers) => receiveLogged?.(answers),
    nowMs,
  });
  let receiveLogged: ReceiveLogged | undefined;
  let receiveAnswers: ReceiveAnswers | undefined;
  const receiver = isReceiving
    ? openLogReceiver({
        system,
        port: logPort,
        isFrontend: isOwnUser,
        onBatch: (records) => {
          service.take(records.map(({ addresses: _addresses, ...record }) => record));
          receiveAnswers?.(records);
        },
      })
    : undefined;

  let isClosed = false;
  const settle = singleFlight(async () => {
    if (isClosed) return;
    await service
      .applyLevels()
      .catch((error: unknown) => warn("What may no longer be in the DNS log could not be removed", error));
  });
  // Levels come from the last compilation; the plane that starts the next one is notified of the commit in this same turn.
  ledger.watch(({ revision }) => void (revision !== undefined && nextTurn().then(enforced).then(settle, settle)));
  void settle();
  return {
    handlers: dnsLogRoutes(service, ledger),
    onAnswers: (receive) => (receiveAnswers = receive),
    onLogged: (receive) => (receiveLogged = receive),
    keepRows: (most) => log.keepRows(most),
    clients: () => log.clients(),
    counted: service.counted,
    size: () => {
      const { rows, lost } = log.size();
      return { rows, dropped: lost + (receiver?.counts().dropped ?? 0) };
    },
    close: () => {
      isClosed = true;
      receiver?.close();
      log.close();
    },
  };
}

const isOwnUser = (userId: number): boolean => userId >= ownUsers.first && userId <= ownUsers.last;

/** A device with addresses. */
export interface Placed {
  readonly id: string;
  readonly name: string;
  readonly mac?: string | null;
  readonly ips: readonly string[];
}

/**
 * The device of an address: by the neighbour table, or else by the configuration. The index is built once for as long as
 * these are the same, for any number of rows.
 */
export function deviceByAddress(
  ledger: Pick<Ledger, "revision" | "staged">,
  located: () => readonly Placed[] | undefined,
): (address: string) => Placed | undefined {
  const written = memoize((_revision: number): readonly Placed[] => ledger.staged<Device>("device").all());
  const byAddress = memoize(
    (devices: readonly Placed[]) => new Map(devices.flatMap((it) => it.ips.map((ip) => [ip, it] as const))),
  );
  return (address) => byAddress(located() ?? written(ledger.revision())).get(address);
}
