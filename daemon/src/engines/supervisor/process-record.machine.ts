import { because, type Reason, reported } from "@portcullis/contract/reason";
import { backoffMs, stableAfterMs } from "./supervisor.diff.ts";
import type { ProcessState } from "./supervisor.model.ts";

/** What the supervisor knows about a process. */
export type ProcessRecord = Running | Exited;

export interface Running extends History {
  readonly kind: "running";
  readonly processId: number;
  readonly began: string | undefined;
  readonly sinceMs: number;
}

export interface Exited extends History {
  readonly kind: "ended";
  readonly retryAtMs: number;
}

export interface History {
  readonly digest: string;
  readonly crashes: number;
  readonly reason: Reason | null;
}

/** After a crash. A process that ran for long enough begins to count anew. */
export function crashed({ digest, crashes, sinceMs }: Running, reason: Reason, nowMs: number): Exited {
  const isStable = nowMs - sinceMs >= stableAfterMs;
  return inBackoff({ digest, crashes: isStable ? 1 : crashes + 1, reason }, nowMs);
}

export const inBackoff = (history: History, nowMs: number): Exited => ({
  kind: "ended",
  retryAtMs: nowMs + backoffMs(history.crashes),
  ...history,
});

/** Ended at the request of its engine: it may start at once, and its crashes stay counted. */
export const endedForRestart = ({ digest, crashes, reason }: History, nowMs: number): Exited => ({
  kind: "ended",
  retryAtMs: nowMs,
  digest,
  crashes,
  reason,
});

/** The history of the next process with this digest: crashes of another configuration do not count. */
export const historyFor = (digest: string, before: ProcessRecord | undefined): History => ({
  digest,
  crashes: before?.digest === digest ? before.crashes : 0,
  reason: before?.reason ?? null,
});

/** The earliest end of a backoff. Those that are over were reported already. */
export function earliestRetryMs(records: Iterable<ProcessRecord>, nowMs: number): number | undefined {
  const times = [...records].flatMap((it) => (it.kind === "ended" && it.retryAtMs > nowMs ? [it.retryAtMs] : []));
  return times.length === 0 ? undefined : Math.min(...times);
}

export function stateOf(name: string, record: ProcessRecord, nowMs: number): ProcessState {
  const { digest, crashes, reason } = record;
  const state = { name, digest, crashes, reason };
  if (record.kind === "running") return { ...state, condition: { kind: "running", processId: record.processId } };
  const isDue = record.retryAtMs <= nowMs;
  return { ...state, condition: isDue ? { kind: "restartable" } : { kind: "backoff", untilMs: record.retryAtMs } };
}

interface Entry {
  readonly processId: number;
  readonly began: string;
  readonly digest: string;
}

/** A record of any other form was not written completely, and is ignored. */
export function parseRecord(text: string): Entry | undefined {
  try {
    const { processId, began, digest } = JSON.parse(text) as Partial<Entry>;
    if (!Number.isSafeInteger(processId) || typeof began !== "string" || typeof digest !== "string") return undefined;
    return { processId: processId!, began, digest };
  } catch {
    return undefined; // Not JSON.
  }
}

/** A killed process wrote no last message. Of a process that was adopted it is not known how it ended. */
export function exitReason(how: string | undefined, output: string): Reason {
  if (how?.startsWith("SIG")) return because("program_killed", { signal: how });
  const missing = notFound.exec(output)?.[1];
  if (missing !== undefined) return because("program_missing", { program: missing });
  const message = output.trimEnd().split("\n").slice(-5).join("\n") || how;
  return message === undefined ? because("program_ended") : reported(message);
}

/** The messages of launchers about a program that is not installed. */
const notFound =
  /^(?:env|unshare|bwrap|setpriv): (?:failed to execute |execvp )?['‘]?([^\s:'’]+)['’]?: No such file or directory$/m;
