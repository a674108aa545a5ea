import type { InputOf } from "@portcullis/contract/endpoint";
import { because, explained, type Reason } from "@portcullis/contract/reason";
import type {
  traffic,
  TrafficDestination,
  TrafficHistory,
  TrafficSummary,
} from "@portcullis/contract/subsystems/traffic";
import { Problem } from "@portcullis/contract/problem";
import type { Ledger } from "../../ledger/ledger.ts";
import {
  destinationWidths,
  kept,
  maxPoints,
  noUsage,
  type Resolution,
  resolutionFor,
  rollUp,
  startOf,
  sumOf,
  type Usage,
  type UsageAt,
  widths,
} from "../../ledger/traffic-rollup.ts";
import type { DestinationUsage, Subject, SubjectKind, TrafficStore } from "../../ledger/traffic-store.ts";
import { refuseField } from "../resources.ts";

/** Readings of the kernel's counters. */
export interface TrafficReadings {
  readonly isMeasuring: () => boolean;
  readonly last: () => { readonly atMs: number; readonly elapsedMs: number } | undefined;
  /** Of the last reading, in bytes per second. */
  readonly rate: (subject: Subject) => { readonly sent: number; readonly received: number } | undefined;
  readonly today: () => readonly (Subject & { readonly usage: Usage })[];
  /** What is not in the store yet. */
  readonly pending: (subject: Subject, resolution: Resolution) => readonly UsageAt[];
  readonly pendingDestinations: (device: string | undefined) => readonly DestinationUsage[];
}

interface Needs {
  readonly ledger: Pick<Ledger, "staged">;
  readonly store: Pick<TrafficStore, "history" | "destinations">;
  /** Undefined while the dataplane is off. */
  readonly readings: TrafficReadings | undefined;
  /** Why the dataplane enforces nothing; null: it does, or it is off. */
  readonly notEnforced: () => Reason | null;
  readonly uplinks: () => readonly { readonly name: string; readonly interface: string }[];
  readonly nowMs: () => number;
}

interface Named {
  readonly id: string;
  readonly name: string;
}

const nothingToday: readonly (Subject & { readonly usage: Usage })[] = [];

export function trafficService({ ledger, store, readings, notEnforced, uplinks, nowMs }: Needs) {
  function summary(): TrafficSummary {
    const isMeasuring = readings?.isMeasuring() ?? false;
    const last = readings?.last();
    const sums = readings?.today() ?? nothingToday;
    const rateOf = (subject: Subject) => {
      const rate = isMeasuring ? readings?.rate(subject) : undefined;
      return { sent_bytes_per_sec: rate?.sent ?? null, received_bytes_per_sec: rate?.received ?? null };
    };
    const todayOf = ({ sentBytes, receivedBytes }: Usage) => ({
      sent_bytes_today: sentBytes,
      received_bytes_today: receivedBytes,
    });
    const none = { usage: noUsage };
    const usageOf = new Map(sums.map((it) => [`${it.kind} ${it.id}`, it.usage]));
    /** Subjects with traffic that exist, the largest first. */
    const active = (kind: "device" | "policy", collection: string) =>
      sums
        .filter((it) => it.kind === kind)
        .toSorted((a, b) => bytesOf(b.usage) - bytesOf(a.usage))
        .flatMap((it) => {
          const name = ledger.staged<Named>(collection).get(it.id)?.name;
          return name === undefined ? [] : [{ id: it.id, name, now: { ...rateOf(it), ...todayOf(it.usage) } }];
        });
    const link = (subject: Subject) => ({
      ...rateOf(subject),
      ...todayOf(usageOf.get(`${subject.kind} ${subject.id}`) ?? noUsage),
    });
    const total = sums.find(({ kind }) => kind === "total") ?? none;
    return {
      measuring: isMeasuring,
      ...explained(whyNot(isMeasuring)),
      measured_at: last ? new Date(last.atMs).toISOString() : null,
      interval_sec: last && last.elapsedMs > 0 ? Math.round(last.elapsedMs) / 1000 : null,
      total: { ...rateOf(totalSubject), ...todayOf(total.usage) },
      devices: active("device", "device").map(({ id, name, now }) => ({ device_id: id, device_name: name, ...now })),
      policies: active("policy", "routing_policy").map(({ id, name, now }) => ({
        policy_id: id,
        policy_name: name,
        ...now,
      })),
      tunnels: ledger
        .staged<Named>("tunnel")
        .all()
        .map(({ id, name }) => ({ tunnel_id: id, tunnel_name: name, ...link({ kind: "tunnel", id }) })),
      uplinks: uplinks().map((it) => ({
        uplink_name: it.name,
        interface: it.interface,
        ...link({ kind: "uplink", id: it.interface }),
      })),
    };
  }

  function whyNot(isMeasuring: boolean): Reason | null {
    if (isMeasuring) return null;
    return readings ? (notEnforced() ?? because("traffic_not_read")) : because("dataplane_off");
  }

  function history({ query }: InputOf<typeof traffic.history>): TrafficHistory {
    const { subject, name } = subjectOf(query);
    const nowSec = nowMs() / 1000;
    const [sinceSec, untilSec] = rangeOf(query, nowSec);
    const resolution = query.resolution ?? resolutionFor(sinceSec, untilSec, nowSec);
    const step = widths[resolution];
    const first = startOf(Math.max(sinceSec, nowSec - kept[resolution]), step);
    if ((untilSec - first) / step > maxPoints)
      refuseField(
        "resolution",
        `${resolution} would be more than ${maxPoints} intervals; use a wider one, or a shorter range`,
        "query",
      );
    const rows = rowsOf(subject, resolution, first, untilSec);
    const measured = subject.kind === "total" ? rows : rowsOf(totalSubject, resolution, first, untilSec);
    const byStart = new Map(rows.map((it) => [it.startSec, it]));
    const starts = [...new Set([...measured, ...rows].map((it) => it.startSec))].toSorted((a, b) => a - b);
    const isLink = subject.kind === "tunnel" || subject.kind === "uplink";
    const amounts = (usage: Usage) => ({
      sent_bytes: usage.sentBytes,
      received_bytes: usage.receivedBytes,
      sent_packets: resolution === "raw" ? null : usage.sentPackets,
      received_packets: resolution === "raw" ? null : usage.receivedPackets,
      connections: isLink || resolution === "raw" ? null : usage.connections,
    });
    return {
      subject: subject.kind,
      subject_id: subject.kind === "total" ? null : subject.id,
      subject_name: name,
      since: new Date(first * 1000).toISOString(),
      until: new Date(untilSec * 1000).toISOString(),
      resolution,
      step_sec: step,
      sum: amounts(rows.reduce<Usage>((sum, it) => sumOf(sum, it), noUsage)),
      points: starts.map((startSec) => ({
        timestamp: new Date(startSec * 1000).toISOString(),
        ...amounts(byStart.get(startSec) ?? noUsage),
      })),
    };
  }

  function rowsOf(subject: Subject, resolution: Resolution, sinceSec: number, untilSec: number): UsageAt[] {
    const pending = (readings?.pending(subject, resolution) ?? []).filter(
      ({ startSec }) => startSec >= sinceSec && startSec < untilSec,
    );
    return rollUp([...store.history(subject, resolution, sinceSec, untilSec), ...pending], widths[resolution]);
  }

  function subjectOf(query: InputOf<typeof traffic.history>["query"]): { subject: Subject; name: string | null } {
    const given = (["device", "policy", "tunnel", "uplink"] as const).filter((it) => query[it] !== undefined);
    const [kind] = given;
    if (given.length > 1) refuseField(given[1]!, `cannot be combined with ${given[0]}`, "query");
    if (kind === undefined) return { subject: totalSubject, name: null };
    if (kind !== "uplink") {
      const found = existing(kind, query[kind]!);
      return { subject: { kind, id: found.id }, name: found.name };
    }
    const all = uplinks();
    const uplink = all.find(({ name }) => name === query.uplink) ?? all.find((it) => it.interface === query.uplink);
    if (!uplink) refuseField("uplink", `does not exist; there are: ${all.map(({ name }) => name).join(", ")}`, "query");
    return { subject: { kind, id: uplink.interface }, name: uplink.name };
  }

  function existing(kind: Exclude<SubjectKind, "total" | "uplink">, id: string): Named {
    const collection = kind === "policy" ? "routing_policy" : kind;
    const found = ledger.staged<Named>(collection).get(id);
    if (!found) throw new Problem("not_found", { id }, { message: `No ${kind} has this id` });
    return found;
  }

  function destinations({ query }: InputOf<typeof traffic.destinations>): TrafficDestination[] {
    const device = query.device === undefined ? undefined : existing("device", query.device).id;
    const nowSec = nowMs() / 1000;
    const [sinceSec, untilSec] = rangeOf(query, nowSec);
    const stored = store.destinations(device, startOf(sinceSec, destinationWidths.hour), untilSec);
    const isNow = untilSec > startOf(nowSec, destinationWidths.hour);
    const all = new Map<string, TrafficDestination>();
    for (const it of [...stored, ...(isNow ? (readings?.pendingDestinations(device) ?? []) : [])]) {
      const before = all.get(it.destination);
      all.set(it.destination, {
        destination: it.destination === "" ? null : it.destination,
        sent_bytes: it.sentBytes + (before?.sent_bytes ?? 0),
        received_bytes: it.receivedBytes + (before?.received_bytes ?? 0),
        connections: it.connections + (before?.connections ?? 0),
      });
    }
    const size = (it: TrafficDestination) => it.sent_bytes + it.received_bytes;
    return [...all.values()].toSorted((a, b) => size(b) - size(a)).slice(0, query.limit ?? 20);
  }

  return { summary, history, destinations, whyNotMeasured: () => whyNot(readings?.isMeasuring() ?? false) };
}

const totalSubject: Subject = { kind: "total", id: "" };
const bytesOf = ({ sentBytes, receivedBytes }: Usage): number => sentBytes + receivedBytes;

function rangeOf(
  { since, until }: { readonly since?: string | undefined; readonly until?: string | undefined },
  nowSec: number,
): [number, number] {
  const end = until === undefined ? nowSec : Date.parse(until) / 1000;
  const start = since === undefined ? end - 86_400 : Date.parse(since) / 1000;
  if (!(start < end)) refuseField("since", "must be before the end of the range", "query");
  return [start, end];
}
