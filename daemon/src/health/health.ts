import type { Server } from "../system/socket-request.ts";
import type { System } from "../system/system.ts";
import {
  burstLimitMs,
  carries,
  type Happening,
  type Life,
  lived,
  newLife,
  probeEveryMs,
  resumedLife,
  type Status,
} from "./link-state.machine.ts";
import { readCounters } from "./counters.ts";
import type { Kept } from "./saved-state.ts";
import { openProbe, type Probe } from "./probe.ts";
import { openGreeting } from "./socks5-probe.ts";
import { lossIn } from "./loss-window.machine.ts";

/** A way that is looked after. */
export interface Patient {
  /** Unique, and the same for as long as it is the same way. */
  readonly key: string;
  readonly name: string;
  readonly device: string;
  readonly present: boolean;
  readonly wanted: boolean;
  /** Carries traffic now; such ways are asked more often. */
  readonly inUse: boolean;
  readonly mark: number;
  /** Addresses beyond the way, the likeliest to answer first. */
  readonly targets: readonly string[];
  /** Probed only while none of the targets answers. */
  readonly fallbackTargets?: readonly string[];
  /** Sends no probes: it is taken to be up while its interface is. */
  readonly isUnprobed?: boolean;
  /** A SOCKS5 server instead, which is greeted: it is a way itself. */
  readonly server?: Server;
}

export interface Condition {
  readonly status: Status;
  /** Passes its probes. */
  readonly healthy: boolean;
  readonly reason: string;
  /** Milliseconds since 1970. */
  readonly sinceMs: number;
  readonly rttMs?: number;
  /** Share of the last regular probes, from 0 to 1; null while it forwards nothing, or none was sent: nothing is measured then. */
  readonly loss: number | null;
  readonly changes: number;
  /** How often it has changed so often in so short a time that it was reported. */
  readonly flaps: number;
  /** When a probe was last answered or found missing; milliseconds since 1970. */
  readonly probedAtMs?: number | undefined;
}

export interface Health {
  /** The whole list, whenever something about it changes. A way that stays the same is not disturbed. */
  attend(patients: readonly Patient[]): void;
  /** Of whom nobody has asked us to look after yet, what an earlier daemon knew: its first thought must not be to shut. */
  readonly condition: (key: string) => Condition | undefined;
  readonly conditions: () => ReadonlyMap<string, Condition>;
  close(): void;
}

interface Needs {
  readonly system: System;
  /** Monotonic, and the same for the next daemon: `sinceBootMs`. */
  readonly nowMs: () => number;
  readonly now: () => Date;
  readonly kept: Kept;
  /** It may be called while `attend` still works. */
  readonly onChange: (key: string, condition: Condition, before: Condition) => void;
  readonly onFlap: (key: string, condition: Condition) => void;
  /** When a way fails, and from then on as long as it does not work: the time to renew what can be renewed. */
  readonly onFailing: (key: string, times: number) => void;
  /** From 0 to 1, for intervals without a recognizable pattern. */
  readonly random?: () => number;
}

interface Case {
  patient: Patient;
  life: Life;
  sinceMs: number;
  probedAtMs?: number | undefined;
  probe?: Probe | undefined;
  index?: number | undefined;
  remindedAtMs: number;
  reminders: number;
}

const tickMs = 60;
const remindMs = 4000;
const returningMs = 1500;

export function openHealth(needs: Needs): Health {
  const { system, nowMs, now, kept, onChange, onFlap, onFailing, random = Math.random } = needs;
  const cases = new Map<string, Case>();
  const before = keptLives(kept.read("conditions"));
  let closed = false;
  let ticks = 0;
  let tickedAtMs = nowMs();
  let wasBusy = false;

  function attend(patients: readonly Patient[]): void {
    const keys = new Set(patients.map(({ key }) => key));
    for (const [key, { probe }] of cases) {
      if (keys.has(key)) continue;
      probe?.stop();
      cases.delete(key);
    }
    for (const patient of patients) admit(patient);
    keep();
  }

  function admit(patient: Patient): void {
    const known = cases.get(patient.key);
    const it = known ?? newCase(patient);
    cases.set(patient.key, it);
    if (known && !isSameWay(known.patient, patient)) dismiss(it);
    it.patient = patient;
    look(it);
  }

  function newCase(patient: Patient): Case {
    const last = before.get(patient.key);
    before.delete(patient.key);
    const resumes = last && patient.wanted && isThere(patient);
    return {
      patient,
      life: resumes ? resumedLife(nowMs(), last) : newLife(nowMs()),
      sinceMs: resumes ? last.sinceMs : now().getTime(),
      remindedAtMs: nowMs(),
      reminders: 0,
    };
  }

  const isThere = ({ present, device }: Patient): boolean => present && readCounters(system, device)?.up === true;

  function dismiss(it: Case): void {
    it.probe?.stop();
    it.probe = undefined;
  }

  /** What the kernel says of its interface. */
  function look(it: Case): void {
    const { wanted, present, inUse, device, isUnprobed = false } = it.patient;
    const counters = present ? readCounters(system, device) : undefined;
    const isThere = counters?.up === true;
    const isAnother = counters && it.index !== undefined && counters.index !== it.index;
    it.index = counters?.index ?? it.index;
    if (isAnother) it.probe?.restart();
    if (
      wanted !== it.life.wanted ||
      isThere !== it.life.present ||
      inUse !== it.life.inUse ||
      isUnprobed !== it.life.isUnprobed ||
      it.life.status === "down"
    )
      happen(it, { kind: "attended", atMs: nowMs(), wanted, present: isThere, inUse, isUnprobed });
    if (isThere && carries(it.life))
      happen(it, { kind: "traffic", atMs: nowMs(), sent: counters.sent, received: counters.received });
    probeAsNeeded(it);
  }

  function probeAsNeeded(it: Case): void {
    const { device, mark, targets, fallbackTargets = [], server, isUnprobed } = it.patient;
    if (closed || isUnprobed || it.life.status === "down" || !it.life.present) return dismiss(it);
    const heard = {
      onReply: (sequence: number, rttMs?: number) => happen(it, { kind: "reply", atMs: nowMs(), sequence, rttMs }),
      onRoundTrip: (rttMs: number) => happen(it, { kind: "round trip", atMs: nowMs(), rttMs }),
      onMissed: (sequence: number) => happen(it, { kind: "missed", atMs: nowMs(), sequence }),
    };
    it.probe ??= server
      ? openGreeting({ nowMs, server, ...heard })
      : openProbe({ system, nowMs, device, mark, targets, fallbackTargets, random, ...heard });
    it.probe.pace(probeEveryMs(it.life), !carries(it.life));
  }

  function happen(it: Case, happening: Happening): void {
    if (closed || cases.get(it.patient.key) !== it) return;
    const { life: was, sinceMs } = it;
    it.life = lived(was, happening);
    if (isResult(happening)) it.probedAtMs = now().getTime();
    if (it.life.burst && it.life.burst.startedAtMs !== was.burst?.startedAtMs)
      void burst(it, it.life.burst.startedAtMs);
    if (it.life.status === was.status) return;
    it.sinceMs = now().getTime();
    probeAsNeeded(it);
    keep();
    onChange(it.patient.key, conditionOf(it), conditionOf({ life: was, sinceMs }));
    if (it.life.flaps > was.flaps) onFlap(it.patient.key, conditionOf(it));
    if (it.life.status === "failed") remind(it, 1);
  }

  async function burst(it: Case, startedAtMs: number): Promise<void> {
    probeAsNeeded(it);
    const { probe } = it;
    const answered = (await probe?.burst(burstLimitMs(it.life))) ?? false;
    // A probe that was replaced meanwhile has heard nothing because it was stopped.
    if (probe !== it.probe && it.life.burst?.startedAtMs === startedAtMs && !closed) return burst(it, startedAtMs);
    happen(it, { kind: "burst", atMs: nowMs(), startedAtMs, answered });
  }

  function remind(it: Case, times: number): void {
    [it.reminders, it.remindedAtMs] = [times, nowMs()];
    onFailing(it.patient.key, times);
  }

  /** One timer for all. The kernel is asked every fourth time; about ways that stand by, every sixteenth. */
  const ticking = setInterval(() => {
    ticks += 1;
    if (wereBusy()) return;
    for (const it of cases.values()) {
      if (ticks % (it.patient.inUse ? 4 : 16) === 0) look(it);
      happen(it, { kind: "time", atMs: nowMs() });
      it.probe?.tend();
      // One that answers again, if not every time, is on its way back by itself.
      const isReturning = nowMs() - it.life.heardAtMs < returningMs;
      if (it.life.status === "failed" && !isReturning && nowMs() - it.remindedAtMs >= remindMs)
        remind(it, it.reminders + 1);
    }
  }, tickMs);

  /** When this process had no time, answers may lie unread: they are read first. But not even that is waited for twice. */
  function wereBusy(): boolean {
    const lateMs = nowMs() - tickedAtMs - tickMs;
    tickedAtMs = nowMs();
    wasBusy = lateMs > tickMs && !wasBusy;
    return wasBusy;
  }

  function keep(): void {
    const lives = [...cases].map(([key, { life, sinceMs }]) => [
      key,
      {
        status: life.status,
        reason: life.reason,
        changes: life.changes,
        flaps: life.flaps,
        turnsMs: life.turnsMs,
        sinceMs,
      },
    ]);
    kept.write("conditions", Object.fromEntries(lives));
  }

  function close(): void {
    closed = true;
    clearInterval(ticking);
    for (const { probe } of cases.values()) probe?.stop();
  }

  function condition(key: string): Condition | undefined {
    const it = cases.get(key);
    const last = before.get(key);
    if (it) return conditionOf(it);
    return last && conditionOf({ life: { ...newLife(nowMs()), ...last }, sinceMs: last.sinceMs });
  }

  return {
    attend,
    condition,
    conditions: () => new Map([...before.keys(), ...cases.keys()].map((key) => [key, condition(key)!])),
    close,
  };
}

const isResult = ({ kind }: Happening): boolean => ["reply", "round trip", "missed", "burst"].includes(kind);

function conditionOf({ life, sinceMs, probedAtMs }: Pick<Case, "life" | "sinceMs" | "probedAtMs">): Condition {
  const { lost, of } = lossIn(life.outcomes);
  return {
    status: life.status,
    healthy: life.status === "up",
    reason: life.reason,
    sinceMs,
    ...(life.trip && carries(life) && { rttMs: Math.round(life.trip.ms * 10) / 10 }),
    loss: of === 0 || !carries(life) ? null : lost / of,
    changes: life.changes,
    flaps: life.flaps,
    probedAtMs,
  };
}

const isSameWay = (a: Patient, b: Patient): boolean =>
  a.device === b.device &&
  a.mark === b.mark &&
  a.server?.address === b.server?.address &&
  a.server?.port === b.server?.port &&
  a.server?.from === b.server?.from &&
  a.isUnprobed === b.isUnprobed &&
  isSameList(a.targets, b.targets) &&
  isSameList(a.fallbackTargets ?? [], b.fallbackTargets ?? []);

const isSameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((it, place) => it === b[place]);

type KeptLife = Pick<Life, "status" | "reason" | "changes" | "flaps" | "turnsMs"> & { readonly sinceMs: number };

/** A way that was connecting or not wanted begins anew. */
function keptLives(value: unknown): Map<string, KeptLife> {
  if (typeof value !== "object" || value === null) return new Map();
  return new Map(Object.entries(value).filter((entry): entry is [string, KeptLife] => isKeptLife(entry[1])));
}

function isKeptLife(value: unknown): value is KeptLife {
  const { status, reason, changes, flaps, turnsMs, sinceMs } = (value ?? {}) as Record<string, unknown>;
  return (
    ["up", "degraded", "failed"].includes(String(status)) &&
    typeof reason === "string" &&
    [changes, flaps, sinceMs].every((it) => typeof it === "number") &&
    Array.isArray(turnsMs) &&
    turnsMs.every((at) => typeof at === "number")
  );
}
