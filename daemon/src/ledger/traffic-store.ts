import { isCorrupt, isOtherVersion, type LogFile, openLogFile } from "./dns-log-file.ts";
import {
  addedDestination,
  deviceDestinationQuery,
  destinationQuery,
  destinationTables,
  format,
  intoDestinations,
  rolledDestinations,
  rolledUp,
  sumQuery,
  sums,
  toUsageAt,
  usageTables,
  valuesOf,
} from "./traffic-sql.ts";
import { packSamples, type Sample, unpackSamples } from "./traffic-samples.ts";
import {
  destinationsKept,
  destinationWidths,
  type DestinationWidth,
  kept,
  largestOf,
  noUsage,
  packedSec,
  type Resolution,
  rollUp,
  startOf,
  startsIn,
  startsOf,
  type UsageAt,
  type Usage,
  widths,
} from "./traffic-rollup.ts";

export type SubjectKind = "total" | "device" | "policy" | "tunnel" | "uplink";

export interface Subject {
  readonly kind: SubjectKind;
  /** Its id; of an uplink, the interface; of the total, nothing. */
  readonly id: string;
}

/** What one minute adds. */
export interface Minute {
  readonly startSec: number;
  readonly subjects: readonly (Subject & { readonly usage: Usage; readonly samples: readonly Sample[] })[];
}

export interface DestinationUsage {
  readonly device: string;
  /** A domain or an address; empty: all others. */
  readonly destination: string;
  readonly sentBytes: number;
  readonly receivedBytes: number;
  readonly connections: number;
}

export interface TrafficStore {
  /** In one transaction; destinations are those of the last minute. False: nothing could be written. */
  write(minutes: readonly Minute[], destinations: readonly DestinationUsage[]): boolean;
  /** Intervals of the subject, oldest first. Those without traffic are left out. */
  history(subject: Subject, resolution: Resolution, sinceSec: number, untilSec: number): UsageAt[];
  /** Starts of the intervals in which traffic was measured at all. */
  measured(resolution: Resolution, sinceSec: number, untilSec: number): number[];
  /** Of one device or of all, the largest first. */
  destinations(device: string | undefined, sinceSec: number, untilSec: number): Omit<DestinationUsage, "device">[];
  /** The sum of each subject since a time within the retention of minutes. */
  today(sinceSec: number): (Subject & { readonly usage: Usage })[];
  /** Devices of which anything is stored. */
  devices(): string[];
  devicesWithDestinations(): string[];
  /** Removes what is stored of a device, or only its destinations. */
  forget(device: string, what: "everything" | "destinations"): void;
  close(): void;
}

interface Needs {
  readonly path: string;
  readonly setAside: () => void;
  readonly remove: () => void;
  readonly warn: (message: string, error: unknown) => void;
}

/** The traffic history, in a file of its own, which is recreated if it is corrupt. Its size is bounded by the retention. */
export function openTrafficStore({ path, setAside, remove, warn }: Needs): TrafficStore {
  let file = opened();
  let isFailing = false;
  const series = new Map<string, number>();
  let rolled = readRolled();

  function opened(): LogFile {
    let makeRoom = setAside;
    try {
      return openLogFile(path, format);
    } catch (error) {
      // Nothing would remove what the other version stored of devices.
      if (isOtherVersion(error)) makeRoom = remove;
      warn(
        `The traffic history cannot be opened; it is ${isOtherVersion(error) ? "deleted" : "set aside"} and recreated`,
        error,
      );
    }
    try {
      makeRoom();
      return openLogFile(path, format);
    } catch (error) {
      warn("The traffic history has no file; it is kept in memory", error);
      return openLogFile(":memory:", format);
    }
  }

  function guarded<T>(work: () => T, otherwise: T): T {
    try {
      const result = work();
      isFailing = false;
      return result;
    } catch (error) {
      if (!isFailing) warn("The traffic history cannot be written or read", error);
      isFailing = true;
      series.clear(); // SQLite gives the ids of a transaction that was rolled back to others.
      if (isCorrupt(error)) recreate();
      return otherwise;
    }
  }

  function recreate(): void {
    try {
      file.close();
      setAside();
    } catch (error) {
      warn("The corrupt traffic history cannot be set aside", error);
    }
    file = opened();
    rolled = readRolled();
  }

  function readRolled() {
    const found = file.all("SELECT * FROM rolled")[0];
    return {
      hour: (found?.["hour"] as number | undefined) ?? 0,
      day: (found?.["day"] as number | undefined) ?? 0,
    };
  }

  const find = ({ kind, id }: Subject): number | undefined => {
    const key = `${kind} ${id}`;
    const known = series.get(key);
    if (known !== undefined) return known;
    const row = file.all("SELECT id FROM series WHERE kind = ? AND resource = ?", kind, id)[0];
    if (row) series.set(key, row["id"] as number);
    return row?.["id"] as number | undefined;
  };
  const findOrAdd = (subject: Subject): number => {
    const known = find(subject);
    if (known !== undefined) return known;
    file.run("INSERT INTO series (kind, resource) VALUES (?, ?)", subject.kind, subject.id);
    return find(subject)!;
  };

  function add(table: "minute" | "hour" | "day", startSec: number, id: number, usage: Usage): void {
    file.run(
      `INSERT INTO ${table} VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET ${sums
        .map((it) => `${it} = ${it} + excluded.${it}`)
        .join(", ")}`,
      startSec,
      id,
      ...valuesOf(usage),
    );
  }

  /** In the order of the keys: rows that are appended fill their pages, and others split them. */
  function addMinutes(minutes: readonly Minute[]): void {
    const rows = minutes.flatMap(({ startSec, subjects }) =>
      subjects.map(({ kind, id, usage, samples }) => ({ startSec, id: findOrAdd({ kind, id }), usage, samples })),
    );
    rows.sort((a, b) => a.startSec - b.startSec || a.id - b.id);
    for (const { startSec, id, usage } of rows) {
      add("minute", startSec, id, usage);
      // A clock that was set back: these intervals were rolled up already.
      if (startSec < rolled.hour) add("hour", startOf(startSec, widths.hour), id, usage);
      if (startSec < rolled.day) add("day", startOf(startSec, widths.day), id, usage);
    }
    const packed = Map.groupBy(rows, ({ startSec, id }) => `${startOf(startSec, packedSec)} ${id}`).values();
    const inOrder = [...packed].toSorted(
      ([a], [b]) => startOf(a!.startSec, packedSec) - startOf(b!.startSec, packedSec) || a!.id - b!.id,
    );
    for (const its of inOrder) {
      const samples = its.flatMap(({ startSec, samples: of }) =>
        of.map((it) => ({ ...it, slot: it.slot + (startSec % packedSec) / widths.raw })),
      );
      if (samples.length > 0)
        file.run(
          "INSERT INTO raw VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET samples = CAST(samples || excluded.samples AS BLOB)",
          startOf(its[0]!.startSec, packedSec),
          its[0]!.id,
          packSamples(samples),
        );
    }
  }

  function addDestinations(startSec: number, all: readonly DestinationUsage[]): void {
    const rows = largestOf(all).map(({ device, ...it }) => ({ ...it, id: findOrAdd({ kind: "device", id: device }) }));
    rows.sort((a, b) => a.id - b.id || (a.destination < b.destination ? -1 : 1));
    for (const { id, destination, sentBytes, receivedBytes, connections } of rows)
      file.run(
        `${intoDestinations("hour")} VALUES (?, ?, ?, ?, ?, ?) ${addedDestination}`,
        Math.max(startOf(startSec, destinationWidths.hour), rolled.day),
        id,
        destination,
        sentBytes,
        receivedBytes,
        connections,
      );
  }

  function write(minutes: readonly Minute[], destinations: readonly DestinationUsage[]): boolean {
    const startSec = minutes.at(-1)!.startSec;
    const work = () => {
      // First, so that new rows take the pages of the old ones: overwriting deleted data then costs no writes.
      removeOld(startSec);
      addMinutes(minutes);
      addDestinations(startSec, destinations);
      const next = rollTo(startSec);
      // A page less in most transactions.
      if (next !== rolled) {
        file.run("DELETE FROM rolled");
        file.run("INSERT INTO rolled VALUES (?, ?)", next.hour, next.day);
      }
      return next;
    };
    return guarded(() => {
      let next = rolled;
      file.transaction(() => (next = work()));
      rolled = next;
      return true;
    }, false);
  }

  /** What is not rolled up yet stays, however old it is: the daemon may have been stopped meanwhile. */
  function removeOld(nowSec: number): void {
    const remove = (table: string, beforeSec: number) => file.run(`DELETE FROM ${table} WHERE bucket < ?`, beforeSec);
    remove("raw", nowSec - kept.raw - packedSec);
    remove("minute", Math.min(nowSec - kept.minute, rolled.hour));
    remove("hour", Math.min(nowSec - kept.hour, rolled.day));
    remove("day", nowSec - kept.day);
    remove("destination_hour", Math.min(nowSec - destinationsKept.hour, rolled.day));
    remove("destination_day", nowSec - destinationsKept.day);
  }

  /** Adds up complete hours and days. */
  function rollTo(nowSec: number): typeof rolled {
    const hour = Math.max(rolled.hour, startOf(nowSec, widths.hour));
    const day = Math.max(rolled.day, startOf(nowSec, widths.day));
    if (hour === rolled.hour && day === rolled.day) return rolled;
    file.run(rolledUp("minute", "hour"), rolled.hour, hour);
    if (day > rolled.day) {
      file.run(rolledUp("hour", "day"), rolled.day, day);
      file.run(rolledDestinations("hour", "day"), rolled.day, day);
    }
    file.run(
      "DELETE FROM series WHERE id NOT IN (SELECT series FROM day UNION SELECT series FROM hour WHERE bucket >= ? UNION SELECT series FROM minute WHERE bucket >= ?)",
      rolled.day,
      rolled.hour,
    );
    series.clear();
    return { hour, day };
  }

  /** Rows of one table. Each interval is looked up by its key, so that the rows of other subjects are not read. */
  function rowsIn(table: "minute" | "hour" | "day", id: number, sinceSec: number, untilSec: number): UsageAt[] {
    const starts = startsIn(widths[table], sinceSec, untilSec);
    return file
      .all(
        `SELECT t.* FROM json_each(?) AS wanted CROSS JOIN ${table} AS t WHERE t.bucket = wanted.value AND t.series = ?`,
        JSON.stringify(starts),
        id,
      )
      .map(toUsageAt);
  }

  function history(subject: Subject, resolution: Resolution, sinceSec: number, untilSec: number): UsageAt[] {
    const id = find(subject);
    if (id === undefined) return [];
    if (resolution === "raw") return rawRows(id, sinceSec, untilSec);
    const minutes = (from: number) => rowsIn("minute", id, Math.max(from, sinceSec), untilSec);
    if (resolution === "minute") return minutes(sinceSec);
    const hours = (from: number) => [
      ...rowsIn("hour", id, Math.max(from, sinceSec), Math.min(untilSec, rolled.hour)),
      ...minutes(rolled.hour),
    ];
    if (resolution === "hour") return rollUp(hours(sinceSec), widths.hour);
    const days = rowsIn("day", id, sinceSec, Math.min(untilSec, rolled.day));
    return rollUp([...days, ...hours(rolled.day)], widths.day);
  }

  function rawRows(id: number, sinceSec: number, untilSec: number): UsageAt[] {
    const rows = file.all(
      "SELECT bucket, samples FROM raw WHERE series = ? AND bucket IN (SELECT value FROM json_each(?)) ORDER BY bucket",
      id,
      JSON.stringify(startsOf(packedSec, startOf(sinceSec, packedSec), untilSec)),
    );
    const samples = rows.flatMap(({ bucket, samples: packed }) =>
      unpackSamples(packed as unknown as Uint8Array).map(({ slot, sentBytes, receivedBytes }) => ({
        ...noUsage,
        startSec: (bucket as number) + slot * widths.raw,
        sentBytes,
        receivedBytes,
      })),
    );
    return rollUp(
      samples.filter(({ startSec }) => startSec >= sinceSec && startSec < untilSec),
      widths.raw,
    );
  }

  return {
    write,
    history: (...args) => guarded(() => history(...args), []),
    measured: (resolution, sinceSec, untilSec) =>
      guarded(() => history({ kind: "total", id: "" }, resolution, sinceSec, untilSec).map((it) => it.startSec), []),
    destinations: (device, sinceSec, untilSec) =>
      guarded(() => {
        // Days begin at midnight, UTC: hours have the range as it is, if they have all of it.
        const areHoursKept = sinceSec >= rolled.hour + widths.hour - destinationsKept.hour;
        const hoursSince = areHoursKept ? sinceSec : Math.max(sinceSec, rolled.day);
        const daysUntil = areHoursKept ? sinceSec : Math.min(untilSec, rolled.day);
        // No more keys than can exist, however far the end of the range is.
        const hoursUntil = Math.min(untilSec, rolled.day + destinationsKept.hour);
        const id = device === undefined ? undefined : (find({ kind: "device", id: device }) ?? -1);
        const starts = (width: DestinationWidth, since: number, until: number) =>
          JSON.stringify(startsIn(destinationWidths[width], since, until));
        const rows =
          id === undefined
            ? file.all(destinationQuery, hoursSince, untilSec, sinceSec, daysUntil)
            : file.all(
                deviceDestinationQuery,
                starts("hour", hoursSince, hoursUntil),
                id,
                starts("day", Math.max(sinceSec, rolled.day - destinationsKept.day), daysUntil),
                id,
              );
        return rows.map((row) => ({
          destination: row["destination"] as string,
          sentBytes: row["sent"] as number,
          receivedBytes: row["received"] as number,
          connections: row["connections"] as number,
        }));
      }, []),
    today: (sinceSec) =>
      guarded(() => {
        const firstHour = startOf(sinceSec + widths.hour - 1, widths.hour); // Midnight may be within an hour of UTC.
        const unrolled = Math.max(sinceSec, rolled.hour);
        const rows = file.all(sumQuery, sinceSec, Math.min(firstHour, unrolled), firstHour, rolled.hour, unrolled);
        return rows.map((row) => {
          const { startSec: _startSec, ...usage } = toUsageAt(row);
          return { kind: row["kind"] as SubjectKind, id: row["resource"] as string, usage };
        });
      }, []),
    devices: () =>
      guarded(
        () => file.all("SELECT resource FROM series WHERE kind = 'device'").map((it) => it["resource"] as string),
        [],
      ),
    devicesWithDestinations: () =>
      guarded(
        () =>
          file
            .all(
              `SELECT resource FROM series WHERE id IN (${destinationTables.map((it) => `SELECT series FROM ${it}`).join(" UNION ")})`,
            )
            .map((it) => it["resource"] as string),
        [],
      ),
    forget: (device, what) =>
      guarded(() => {
        const id = find({ kind: "device", id: device });
        if (id === undefined) return;
        file.transaction(() => {
          const tables = what === "everything" ? [...usageTables, ...destinationTables] : destinationTables;
          for (const table of tables) file.run(`DELETE FROM ${table} WHERE series = ?`, id);
          if (what === "everything") file.run("DELETE FROM series WHERE id = ?", id);
        });
        series.clear();
        file.checkpoint(); // The deleted rows are in the journal until then.
      }, undefined),
    close: () => {
      try {
        file.close();
      } catch (error) {
        warn("The traffic history could not be closed", error);
      }
    },
  };
}
