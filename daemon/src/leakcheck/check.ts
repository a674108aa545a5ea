import { isDeepStrictEqual } from "node:util";
import type { LeakCheck, LeakMonitorSettings } from "@portcullis/contract/subsystems/privacy";
import type { PqMode } from "../net/key-exchange.ts";
import type { System } from "../system/system.ts";
import { sendSpoofedProbes } from "./spoofed-probes.ts";
import type { Wanted } from "./audit.ts";
import { queryEchoes, type Echo } from "./echo.ts";
import type { Repair } from "./repairs.ts";
import { assess } from "./assess.ts";
import { readKernel } from "./kernel.ts";
import { queryRoutes } from "./route-queries.ts";
import { subjectsOf } from "./subjects.ts";
import { sampleDevices } from "./batches.ts";

export interface Compiled extends Wanted {
  readonly revision: number;
}

export interface Needs {
  readonly system: Pick<System, "run" | "readText">;
  /** The last compiled state; undefined while the dataplane is off, or has not compiled yet. */
  readonly compiled: () => Compiled | undefined;
  /** Resolves when the engines have applied it, or have failed to. */
  readonly settled: () => Promise<unknown>;
  readonly nameOf: (deviceId: string) => string;
  readonly settings: () => LeakMonitorSettings;
  /** Of the TLS session with the echo page. */
  readonly pqMode: () => PqMode;
  /** Lets the reconciler compare everything, and repair differences. */
  readonly reconcile: () => Promise<void>;
  /** What it has repaired so far. */
  readonly repaired: () => readonly Repair[];
  readonly ours: (processId: number) => void;
  readonly random: () => number;
  /** The addresses that were echoed through a path when nothing was wrong. */
  readonly learned: (via: string) => readonly string[];
  readonly now: () => Date;
}

export interface CheckRequest {
  readonly cause: LeakCheck["cause"];
  /** A sample of all devices, if absent. */
  readonly deviceIds?: readonly string[];
  /** Repairs since then count as findings. */
  readonly since?: Date;
  /** Egresses whose echo is known already are not queried again. */
  readonly echoes?: readonly Echo[];
}

export interface Checked {
  readonly check: LeakCheck;
  readonly echoes: readonly Echo[];
}

/** One leak check. If the compiled state changes meanwhile, it runs once more; if that happens again, it is discarded. */
export async function checkLeaks(needs: Needs, wish: CheckRequest): Promise<Checked | undefined> {
  const first = await checkOnce(needs, wish);
  return first?.check.discarded ? checkOnce(needs, wish) : first;
}

/**
 * First the kernel is read and probed as it is, once published changes have been applied: a change in flight is no finding.
 * The reconciler runs last, because it repairs what it finds.
 */
async function checkOnce(
  needs: Needs,
  { cause, deviceIds, since, echoes: known = [] }: CheckRequest,
): Promise<Checked | undefined> {
  const { system, settings, now } = needs;
  const started = now();
  await needs.settled();
  const wanted = needs.compiled();
  if (!wanted) return undefined;
  const before = await readKernel(system, wanted.desired);
  const { devices, unchecked } = selectDevices(wanted.intent.devices, deviceIds, needs.random);
  const subjects = subjectsOf(wanted, devices, needs.nameOf, before.neighbours);
  const routes = await queryRoutes(system, needs.random, subjects, before.rules);
  const attacked = await sendSpoofedProbes(needs, subjects);
  const after = await readKernel(system, wanted.desired);
  const echoes = await queryEchoes({ ...settings(), pqMode: needs.pqMode() }, wanted, subjects, known);
  await needs.reconcile();
  const from = (since ?? started).toISOString();
  const { devices: checked, ...judged } = assess(subjects, {
    wanted,
    kernels: [before, after],
    routes,
    probeRun: attacked,
    echoes: [...known, ...echoes],
    learned: needs.learned,
    repaired: needs.repaired().filter(({ at }) => at >= from),
    nowMs: now().getTime(),
  });
  const finished_at = now().toISOString();
  const check = {
    started_at: started.toISOString(),
    finished_at,
    cause,
    verdict: judged.verdict,
    devices: checked.map((it) => ({ ...it, checked_at: finished_at })),
    unchecked,
    gateway: [...judged.gateway],
    discarded: isSuperseded(wanted, needs.compiled(), checked),
  };
  return { check, echoes };
}

/** The named devices, or a sample. Its first is random, so that all are checked in the course of time. */
function selectDevices<T extends { readonly id: string }>(
  all: readonly T[],
  ids: readonly string[] | undefined,
  random: () => number,
) {
  if (ids !== undefined) {
    const named = new Set(ids);
    return { devices: all.filter(({ id }) => named.has(id)), unchecked: 0 };
  }
  const first = all.length > sampleDevices ? random() % all.length : 0;
  const devices = [...all.slice(first), ...all.slice(0, first)].slice(0, sampleDevices);
  return { devices, unchecked: all.length - devices.length };
}

/**
 * Whether the compiled state changed during a check: the kernel was compared with an outdated one then. But a packet that was
 * seen outside counts, as long as no device has another egress.
 */
export function isSuperseded(
  before: Compiled,
  after: Compiled | undefined,
  devices: readonly Pick<LeakCheck["devices"][number], "findings">[],
): boolean {
  if (stateOf(before) !== stateOf(after)) return true;
  const isSeen = devices.some(({ findings }) => findings.some(({ cause }) => cause === "seen-outside"));
  return !isSeen && !isDeepStrictEqual(before.desired, after?.desired);
}

/** Another revision, another uplink or another usable tunnel changes the egress of devices. */
const stateOf = (compiled: Compiled | undefined): string =>
  JSON.stringify([
    compiled?.revision,
    compiled?.intent.network.wan,
    compiled?.intent.exceptions.map(({ id }) => id),
    compiled?.facts.hops.map((hop) => [hop.interface, hop.up]),
  ]);
