import { isReason, type Reason, reported } from "@portcullis/contract/reason";
import type { Server } from "../system/socket-request.ts";
import type { System } from "../system/system.ts";
import {
  burstLimitMs,
  isUsable,
  type LinkEvent,
  type LinkState,
  reduce,
  initialState,
  probeIntervalMs,
  resumedState,
  type Status,
} from "./link-state.machine.ts";
import { readCounters } from "./counters.ts";
import type { SavedState } from "./saved-state.ts";
import { openProbe, type Probe } from "./probe.ts";
import { openSocks5Probe } from "./socks5-probe.ts";
import { lossIn } from "./loss-window.machine.ts";

/** A link whose health is monitored. */
export interface MonitoredLink {
  /** Unique and stable. */
  readonly key: string;
  readonly name: string;
  readonly device: string;
  readonly present: boolean;
  readonly wanted: boolean;
  /** A policy uses it now; such links are probed more often. */
  readonly inUse: boolean;
  readonly mark: number;
  /** Addresses beyond the link, the likeliest to answer first. */
  readonly targets: readonly string[];
  /** Probed only while none of the targets answers. */
  readonly fallbackTargets?: readonly string[];
  /** No probes are sent: it counts as up while its interface is. */
  readonly isUnprobed?: boolean;
  /** A SOCKS5 server, which is probed by its own protocol instead. */
  readonly server?: Server;
}

export interface Condition {
  readonly status: Status;
  /** Its probes are answered. */
  readonly healthy: boolean;
  readonly reason: Reason;
  /** Milliseconds since 1970. */
  readonly sinceMs: number;
  readonly rttMs?: number;
  /** Share of the last regular probes, from 0 to 1; null while it forwards nothing or no probe was sent. */
  readonly loss: number | null;
  readonly changes: number;
  /** How many flaps were reported. */
  readonly flaps: number;
  /** When a probe last had a result; milliseconds since 1970. */
  readonly probedAtMs?: number | undefined;
}

export interface Health {
  /** Sets the complete list. Probes of unchanged links continue. */
  monitor(links: readonly MonitoredLink[]): void;
  /** For a link that is not monitored yet, the state of the previous daemon: a restart must not block traffic. */
  readonly condition: (key: string) => Condition | undefined;
  readonly conditions: () => ReadonlyMap<string, Condition>;
  close(): void;
}

interface Needs {
  readonly system: System;
  /** Monotonic, and continuous across restarts of the daemon: `sinceBootMs`. */
  readonly nowMs: () => number;
  readonly now: () => Date;
  readonly savedState: SavedState;
  /** It may be called while `monitor` runs. */
  readonly onChange: (key: string, condition: Condition, before: Condition) => void;
  readonly onFlap: (key: string, condition: Condition) => void;
  /** When a link fails, and repeatedly while it stays failed, so that the caller can reconnect it. */
  readonly onFailed: (key: string, times: number) => void;
  /** From 0 to 1, for intervals without a recognizable pattern. */
  readonly random?: () => number;
}

interface Monitor {
  link: MonitoredLink;
  state: LinkState;
  sinceMs: number;
  probedAtMs?: number | undefined;
  probe?: Probe | undefined;
  index?: number | undefined;
  retriedAtMs: number;
  retries: number;
}

const tickMs = 60;
const retryMs = 4000;
const recoveringMs = 1500;

export function openHealth(needs: Needs): Health {
  const { system, nowMs, now, savedState, onChange, onFlap, onFailed, random = Math.random } = needs;
  const monitors = new Map<string, Monitor>();
  const saved = savedLinks(savedState.read("conditions"));
  let closed = false;
  let ticks = 0;
  let tickedAtMs = nowMs();
  let wasBusy = false;

  function monitor(links: readonly MonitoredLink[]): void {
    const keys = new Set(links.map(({ key }) => key));
    for (const [key, { probe }] of monitors) {
      if (keys.has(key)) continue;
      probe?.stop();
      monitors.delete(key);
    }
    for (const link of links) update(link);
    save();
  }

  function update(link: MonitoredLink): void {
    const known = monitors.get(link.key);
    const it = known ?? newMonitor(link);
    monitors.set(link.key, it);
    if (known && !isSameLink(known.link, link)) stopProbe(it);
    it.link = link;
    readInterface(it);
  }

  function newMonitor(link: MonitoredLink): Monitor {
    const last = saved.get(link.key);
    saved.delete(link.key);
    const resumes = last && link.wanted && isThere(link);
    return {
      link,
      state: resumes ? resumedState(nowMs(), last, now().getTime() - last.sinceMs) : initialState(nowMs()),
      sinceMs: resumes ? last.sinceMs : now().getTime(),
      retriedAtMs: nowMs(),
      retries: 0,
    };
  }

  const isThere = ({ present, device }: MonitoredLink): boolean => present && readCounters(system, device)?.up === true;

  function stopProbe(it: Monitor): void {
    it.probe?.stop();
    it.probe = undefined;
  }

  /** Reads the state and counters of its interface. */
  function readInterface(it: Monitor): void {
    const { wanted, present, inUse, device, isUnprobed = false } = it.link;
    const counters = present ? readCounters(system, device) : undefined;
    const isThere = counters?.up === true;
    const isAnother = counters && it.index !== undefined && counters.index !== it.index;
    it.index = counters?.index ?? it.index;
    if (isAnother) it.probe?.restart();
    if (
      wanted !== it.state.wanted ||
      isThere !== it.state.present ||
      inUse !== it.state.inUse ||
      isUnprobed !== it.state.isUnprobed ||
      it.state.status === "down"
    )
      dispatch(it, { kind: "configured", atMs: nowMs(), wanted, present: isThere, inUse, isUnprobed });
    if (isThere && isUsable(it.state))
      dispatch(it, { kind: "traffic", atMs: nowMs(), sent: counters.sent, received: counters.received });
    updateProbe(it);
  }

  function updateProbe(it: Monitor): void {
    const { device, mark, targets, fallbackTargets = [], server, isUnprobed } = it.link;
    if (closed || isUnprobed || it.state.status === "down" || !it.state.present) return stopProbe(it);
    const handlers = {
      onReply: (sequence: number, rttMs?: number) => dispatch(it, { kind: "reply", atMs: nowMs(), sequence, rttMs }),
      onRoundTrip: (rttMs: number) => dispatch(it, { kind: "round trip", atMs: nowMs(), rttMs }),
      onMissed: (sequence: number) => dispatch(it, { kind: "missed", atMs: nowMs(), sequence }),
    };
    it.probe ??= server
      ? openSocks5Probe({ nowMs, server, ...handlers })
      : openProbe({ system, nowMs, device, mark, targets, fallbackTargets, random, ...handlers });
    it.probe.setPace(probeIntervalMs(it.state), !isUsable(it.state));
  }

  function dispatch(it: Monitor, event: LinkEvent): void {
    if (closed || monitors.get(it.link.key) !== it) return;
    const { state: was, sinceMs } = it;
    it.state = reduce(was, event);
    if (isProbeResult(event)) it.probedAtMs = now().getTime();
    if (it.state.burst && it.state.burst.startedAtMs !== was.burst?.startedAtMs)
      void burst(it, it.state.burst.startedAtMs);
    if (it.state.status === was.status) return;
    it.sinceMs = now().getTime();
    updateProbe(it);
    save();
    onChange(it.link.key, conditionOf(it), conditionOf({ state: was, sinceMs }));
    if (it.state.flaps > was.flaps) onFlap(it.link.key, conditionOf(it));
    if (it.state.status === "failed") retry(it, 1);
  }

  async function burst(it: Monitor, startedAtMs: number): Promise<void> {
    updateProbe(it);
    const { probe } = it;
    const answered = (await probe?.burst(burstLimitMs(it.state))) ?? false;
    // A probe that was replaced meanwhile had no reply because it was stopped.
    if (probe !== it.probe && it.state.burst?.startedAtMs === startedAtMs && !closed) return burst(it, startedAtMs);
    dispatch(it, { kind: "burst", atMs: nowMs(), startedAtMs, answered });
  }

  function retry(it: Monitor, times: number): void {
    [it.retries, it.retriedAtMs] = [times, nowMs()];
    onFailed(it.link.key, times);
  }

  /** One timer for all links. Interfaces are read every fourth time; those of standby links every sixteenth. */
  const ticking = setInterval(() => {
    ticks += 1;
    if (wasDelayed()) return;
    for (const it of monitors.values()) {
      if (ticks % (it.link.inUse ? 4 : 16) === 0) readInterface(it);
      dispatch(it, { kind: "time", atMs: nowMs() });
      it.probe?.tick();
      // A link that answers some probes is recovering by itself.
      const isRecovering = nowMs() - it.state.lastReplyAtMs < recoveringMs;
      if (it.state.status === "failed" && !isRecovering && nowMs() - it.retriedAtMs >= retryMs)
        retry(it, it.retries + 1);
    }
  }, tickMs);

  /** After a delay of this process unread replies may be queued: one tick is skipped to read them, but never two in a row. */
  function wasDelayed(): boolean {
    const lateMs = nowMs() - tickedAtMs - tickMs;
    tickedAtMs = nowMs();
    wasBusy = lateMs > tickMs && !wasBusy;
    return wasBusy;
  }

  function save(): void {
    const lives = [...monitors].map(([key, { state, sinceMs }]) => [
      key,
      {
        status: state.status,
        reason: state.reason,
        changes: state.changes,
        flaps: state.flaps,
        failTransitionsMs: state.failTransitionsMs,
        sinceMs,
      },
    ]);
    savedState.write("conditions", Object.fromEntries(lives));
  }

  function close(): void {
    closed = true;
    clearInterval(ticking);
    for (const { probe } of monitors.values()) probe?.stop();
  }

  function condition(key: string): Condition | undefined {
    const it = monitors.get(key);
    const last = saved.get(key);
    if (it) return conditionOf(it);
    return last && conditionOf({ state: { ...initialState(nowMs()), ...last }, sinceMs: last.sinceMs });
  }

  return {
    monitor,
    condition,
    conditions: () => new Map([...saved.keys(), ...monitors.keys()].map((key) => [key, condition(key)!])),
    close,
  };
}

const isProbeResult = ({ kind }: LinkEvent): boolean => ["reply", "round trip", "missed", "burst"].includes(kind);

function conditionOf({ state, sinceMs, probedAtMs }: Pick<Monitor, "state" | "sinceMs" | "probedAtMs">): Condition {
  const { lost, of } = lossIn(state.outcomes);
  return {
    status: state.status,
    healthy: state.status === "up",
    reason: state.reason,
    sinceMs,
    ...(state.rtt && isUsable(state) && { rttMs: Math.round(state.rtt.ms * 10) / 10 }),
    loss: of === 0 || !isUsable(state) ? null : lost / of,
    changes: state.changes,
    flaps: state.flaps,
    probedAtMs,
  };
}

const isSameLink = (a: MonitoredLink, b: MonitoredLink): boolean =>
  a.device === b.device &&
  a.mark === b.mark &&
  a.server?.address === b.server?.address &&
  a.server?.port === b.server?.port &&
  a.server?.localAddress === b.server?.localAddress &&
  a.isUnprobed === b.isUnprobed &&
  isSameList(a.targets, b.targets) &&
  isSameList(a.fallbackTargets ?? [], b.fallbackTargets ?? []);

const isSameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((it, index) => it === b[index]);

type SavedLink = Pick<LinkState, "status" | "reason" | "changes" | "flaps" | "failTransitionsMs"> & {
  readonly sinceMs: number;
};

/** A link that was connecting or not enabled starts from its initial state. */
function savedLinks(value: unknown): Map<string, SavedLink> {
  if (typeof value !== "object" || value === null) return new Map();
  return new Map(
    Object.entries(value)
      .map(([key, link]) => [key, withReason(link)] as const)
      .filter((entry): entry is [string, SavedLink] => isSavedLink(entry[1])),
  );
}

/** A version before wrote a sentence. */
const withReason = (link: unknown): unknown => {
  const { reason } = (link ?? {}) as { reason?: unknown };
  return typeof reason === "string" ? { ...(link as object), reason: reported(reason) } : link;
};

function isSavedLink(value: unknown): value is SavedLink {
  const { status, reason, changes, flaps, failTransitionsMs, sinceMs } = (value ?? {}) as Record<string, unknown>;
  return (
    ["up", "degraded", "failed"].includes(String(status)) &&
    isReason(reason) &&
    [changes, flaps, sinceMs].every((it) => typeof it === "number") &&
    Array.isArray(failTransitionsMs) &&
    failTransitionsMs.every((at) => typeof at === "number")
  );
}
