import { randomUUID } from "node:crypto";
import type { AnomalyKind } from "@portcullis/contract/subsystems/anomalies";
import { causeKey, isExplained, isOver, onFinding, type StoredAnomaly } from "./anomalies.machine.ts";
import type { Finding } from "./finding.ts";

interface Needs {
  readonly stored: readonly StoredAnomaly[];
  readonly write: (changed: readonly StoredAnomaly[], removed: readonly string[]) => void;
  readonly onDetected: (anomaly: StoredAnomaly) => void;
  readonly onEnded: (anomaly: StoredAnomaly) => void;
}

export interface AnomalyRegister {
  readonly add: (device: string, findings: readonly Finding[], atMs: number) => void;
  /** Ends what is over, removes what is old, and writes what has changed since. */
  readonly round: (atMs: number) => void;
  /** Newest first. */
  readonly all: () => StoredAnomaly[];
  readonly removeWhere: (isRemoved: (anomaly: StoredAnomaly) => boolean) => void;
  readonly flush: () => void;
}

/** All anomalies that are open or were within the last 90 days. */
export function anomalyRegister({ stored, write, onDetected, onEnded }: Needs): AnomalyRegister {
  const all = new Map<string, StoredAnomaly>();
  const latest = new Map<string, string>();
  const unwritten = new Set<string>();
  let next = 1;
  for (const it of stored.toSorted((a, b) => a.number - b.number)) {
    next = Math.max(next, it.number + 1);
    keep(it);
  }

  function keep(anomaly: StoredAnomaly): void {
    all.set(anomaly.id, anomaly);
    latest.set(keyOf(anomaly), anomaly.id);
  }

  const find = (key: string): StoredAnomaly | undefined => all.get(latest.get(key) ?? "");
  const isOpen = (device: string) => (kind: AnomalyKind) =>
    all.values().some((it) => it.device === device && it.kind === kind && it.endedMs === null);

  function add(device: string, findings: readonly Finding[], atMs: number): void {
    for (const finding of findings) {
      if (isExplained(finding.kind, isOpen(device))) continue;
      const { anomaly, isDetected } = onFinding({
        latest: find(causeKey(device, finding.kind, finding.cause)),
        device,
        finding,
        atMs,
        created: () => ({ id: randomUUID(), number: next++ }),
      });
      keep(anomaly);
      if (!isDetected) {
        unwritten.add(anomaly.id);
        continue;
      }
      write([anomaly], []);
      onDetected(anomaly);
    }
  }

  function round(atMs: number): void {
    for (const anomaly of all.values()) {
      if (!isOver(anomaly, atMs)) continue;
      const ended = { ...anomaly, endedMs: atMs };
      keep(ended);
      write([ended], []);
      onEnded(ended);
    }
    const ended = newestFirst().filter((it) => it.endedMs !== null);
    const old = new Set(ended.filter((it, n) => n >= maxEnded || atMs - it.endedMs! > keptMs).map(({ id }) => id));
    if (old.size > 0) removeWhere(({ id }) => old.has(id));
  }

  function removeWhere(isRemoved: (anomaly: StoredAnomaly) => boolean): void {
    const removed = [...all.values()].filter(isRemoved);
    if (removed.length === 0) return;
    for (const anomaly of removed) {
      all.delete(anomaly.id);
      unwritten.delete(anomaly.id);
      if (latest.get(keyOf(anomaly)) === anomaly.id) latest.delete(keyOf(anomaly));
    }
    write(
      [],
      removed.map(({ id }) => id),
    );
  }

  const newestFirst = (): StoredAnomaly[] => [...all.values()].toSorted((a, b) => b.number - a.number);

  return {
    add,
    round,
    all: newestFirst,
    removeWhere,
    flush: () => {
      write(
        [...unwritten].flatMap((id) => all.get(id) ?? []),
        [],
      );
      unwritten.clear();
    },
  };
}

const keyOf = ({ device, kind, cause }: StoredAnomaly): string => causeKey(device, kind, cause);

const maxEnded = 2000;
const keptMs = 90 * 86_400_000;
