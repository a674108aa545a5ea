import type { Row } from "./database.ts";
import type { LogFormat } from "./dns-log-file.ts";
import {
  destinationWidths,
  type DestinationWidth,
  maxDestinations,
  type Usage,
  type UsageAt,
  widths,
} from "./traffic-rollup.ts";

/** Tables and statements of the traffic history. */

export const sums = ["sent", "received", "sent_packets", "received_packets", "connections"] as const;
export const valuesOf = (it: Usage): number[] => [
  it.sentBytes,
  it.receivedBytes,
  it.sentPackets,
  it.receivedPackets,
  it.connections,
];
export const toUsageAt = (row: Row): UsageAt => ({
  startSec: row["bucket"] as number,
  sentBytes: row["sent"] as number,
  receivedBytes: row["received"] as number,
  sentPackets: row["sent_packets"] as number,
  receivedPackets: row["received_packets"] as number,
  connections: row["connections"] as number,
});

export const rolledUp = (from: "minute" | "hour", to: "hour" | "day"): string =>
  `INSERT INTO ${to} SELECT bucket - bucket % ${widths[to]}, series, ${sums.map((it) => `sum(${it}) AS ${it}`).join(", ")}
   FROM ${from} WHERE bucket >= ? AND bucket < ? GROUP BY 1, 2
   ON CONFLICT DO UPDATE SET ${sums.map((it) => `${it} = ${to}.${it} + excluded.${it}`).join(", ")}`;

export const addedDestination =
  "ON CONFLICT DO UPDATE SET sent = sent + excluded.sent, received = received + excluded.received, connections = connections + excluded.connections";
export const intoDestinations = (width: DestinationWidth): string => `INSERT INTO destination_${width}`;

/** The largest destinations of each device keep their name; the others become one sum. */
export const rolledDestinations = (from: DestinationWidth, to: DestinationWidth): string =>
  `${intoDestinations(to)}
   SELECT bucket, series, CASE WHEN place <= ${maxDestinations} THEN destination ELSE '' END, sum(sent), sum(received), sum(connections)
   FROM (
     SELECT *, row_number() OVER (PARTITION BY bucket, series ORDER BY destination = '', sent + received DESC) AS place
     FROM (
       SELECT bucket - bucket % ${destinationWidths[to]} AS bucket, series, destination,
         sum(sent) AS sent, sum(received) AS received, sum(connections) AS connections
       FROM destination_${from} WHERE bucket >= ? AND bucket < ? GROUP BY 1, 2, 3
     )
   )
   WHERE true GROUP BY 1, 2, 3
   ON CONFLICT DO UPDATE SET sent = destination_${to}.sent + excluded.sent,
     received = destination_${to}.received + excluded.received, connections = destination_${to}.connections + excluded.connections`;

/** A range of hours, and a range of days. */
export const destinationQuery = `
  SELECT destination, sum(sent) AS sent, sum(received) AS received, sum(connections) AS connections FROM (
    SELECT * FROM destination_hour WHERE bucket >= ? AND bucket < ?
    UNION ALL SELECT * FROM destination_day WHERE bucket >= ? AND bucket < ?
  ) GROUP BY destination ORDER BY sent + received DESC`;

/** The same of one device: each interval is looked up by its key, so that the rows of other devices are not read. */
export const deviceDestinationQuery = `
  SELECT destination, sum(sent) AS sent, sum(received) AS received, sum(connections) AS connections FROM (
    SELECT t.* FROM json_each(?) AS wanted CROSS JOIN destination_hour AS t WHERE t.bucket = wanted.value AND t.series = ?
    UNION ALL SELECT t.* FROM json_each(?) AS wanted CROSS JOIN destination_day AS t WHERE t.bucket = wanted.value AND t.series = ?
  ) GROUP BY destination ORDER BY sent + received DESC`;

export const sumQuery = `
  SELECT kind, resource, 0 AS bucket, ${sums.map((it) => `sum(${it}) AS ${it}`).join(", ")} FROM (
    SELECT * FROM minute WHERE bucket >= ? AND bucket < ?
    UNION ALL SELECT * FROM hour WHERE bucket >= ? AND bucket < ?
    UNION ALL SELECT * FROM minute WHERE bucket >= ?
  ) AS t JOIN series ON series.id = t.series GROUP BY series.id`;

export const usageTables = ["raw", "minute", "hour", "day"] as const;
export const destinationTables = ["destination_hour", "destination_day"] as const;

const usageTable = (name: string): string => `CREATE TABLE ${name} (
    bucket INTEGER NOT NULL,
    series INTEGER NOT NULL,
    ${sums.map((it) => `${it} INTEGER NOT NULL`).join(",\n    ")},
    PRIMARY KEY (bucket, series)
  ) STRICT, WITHOUT ROWID;`;
const destinationTable = (name: string): string => `CREATE TABLE ${name} (
    bucket INTEGER NOT NULL,
    series INTEGER NOT NULL,
    destination TEXT NOT NULL,
    sent INTEGER NOT NULL,
    received INTEGER NOT NULL,
    connections INTEGER NOT NULL,
    PRIMARY KEY (bucket, series, destination)
  ) STRICT, WITHOUT ROWID;`;

/** By time first: each minute is appended, so that it writes few pages. */
export const format: LogFormat = {
  version: 2,
  pageBytes: 4096,
  schema: `
  CREATE TABLE series (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, resource TEXT NOT NULL, UNIQUE (kind, resource)) STRICT;
  CREATE TABLE raw (bucket INTEGER NOT NULL, series INTEGER NOT NULL, samples BLOB NOT NULL, PRIMARY KEY (bucket, series)) STRICT, WITHOUT ROWID;
  ${["minute", "hour", "day"].map(usageTable).join("\n  ")}
  ${destinationTables.map(destinationTable).join("\n  ")}
  CREATE TABLE rolled (hour INTEGER NOT NULL, day INTEGER NOT NULL) STRICT;
`,
};
