import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Resources } from "../../compiler/input/read-document.ts";
import { memoize } from "../../compiler/memoize.ts";
import { followEndedFlows, listFlows } from "../../engines/conntrack/conntrack.ts";
import type { CountedFlow } from "../../engines/conntrack/flows.parse.ts";
import { pairKey } from "../../engines/nftables/steering/hits.parse.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { TrafficStore, Subject } from "../../ledger/traffic-store.ts";
import type { Usage } from "../../ledger/traffic-rollup.ts";
import type { Neighbour } from "../../monitors/neighbours.ts";
import type { System } from "../../system/system.ts";
import type { Compiled } from "../inputs.ts";
import { type AnsweredNames, answeredNames } from "./answered-names.ts";
import { attribute, type DeviceFlow, levelIn, ownersIn } from "./attribution.ts";
import { type CountedBefore, flowMeter } from "./flow-meter.ts";
import { type InterfaceCounters, interfaceMeter } from "./interface-meter.ts";
import { pauseAfterMs } from "./reading-pace.ts";
import { type Recorder, recorder } from "./recorder.ts";

interface Needs {
  readonly system: System;
  readonly ledger: Ledger;
  readonly store: TrafficStore;
  readonly runFolder: string;
  readonly compiled: () => Compiled | undefined;
  /** Not those of the last compilation, which may be a minute old: what a device with a new address sends would belong to none. */
  readonly neighbours: () => readonly Neighbour[];
  /** Source and destination → the cause of the last decision. */
  readonly decided: () => Promise<ReadonlyMap<string, string>>;
  /** Receives what connections of devices transferred between two readings. */
  readonly onFlows: (flows: readonly DeviceFlow[], atMs: number) => void;
  readonly nowMs: () => number;
  readonly warn: (message: string, error: unknown) => void;
}

export interface TrafficPlane
  extends Pick<Recorder, "rate" | "last" | "today" | "sinceStart" | "pending" | "pendingDestinations"> {
  readonly learn: AnsweredNames["learn"];
  /** The last reading was made, and is not old. */
  readonly isMeasuring: () => boolean;
  /** After a change of classes or devices: removes what may no longer be recorded. */
  readonly applyLevels: () => void;
  readonly close: () => Promise<void>;
}

const devicesPerTurn = 1000;

/** Without a reading for this long, traffic is not measured. */
const oldMs = 120_000;

/** Reads the kernel's counters every few seconds. */
export function openTrafficPlane(needs: Needs): TrafficPlane {
  const { system, ledger, store, runFolder, compiled, neighbours, decided, onFlows, nowMs, warn } = needs;
  const file = join(runFolder, "traffic.json");
  const before = savedIn(system, file);
  const names = answeredNames();
  const flows = flowMeter(before?.flows);
  const interfaces = interfaceMeter(system, before?.interfaces);
  const policies = new Map<number, string>(before?.policies);
  const records = recorder({
    store,
    nowMs,
    // A crash in between loses a minute. In the other order it would be counted twice.
    beforeWriting: () => save(),
  });
  let isClosed = false;
  let isFailing = false;
  let lastAt: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let reading: Promise<void> = Promise.resolve();

  const inventory = memoize((revision: number) => ledger.releases.document(revision) as unknown as Resources);
  const owners = memoize((resources: Resources, seen: readonly Neighbour[]) => ownersIn(resources, seen));
  const events = followEndedFlows(
    system,
    (flow) => flows.ended(flow),
    () => {},
  );

  function save(): void {
    try {
      const saved: Saved = {
        boot: bootOf(system),
        flows: flows.counted(),
        interfaces: interfaces.counted(),
        policies: [...policies],
      };
      system.writeAtomically(file, JSON.stringify(saved), 0o600);
    } catch (error) {
      warn("The state of the traffic counters cannot be saved", error);
    }
  }

  async function read(): Promise<void> {
    const now = compiled();
    if (!now) return;
    flows.begin();
    const listed = await listFlows(system);
    const causes = await decided().catch(() => new Map<string, string>());
    if (isClosed) return;
    const deltas = flows.listed(listed);
    for (const { flow } of deltas) {
      const cause = causes.get(pairKey(flow.source, flow.destination));
      if (cause?.startsWith("policy ")) policies.set(flow.id, cause.slice("policy ".length));
      else if (cause !== undefined) policies.delete(flow.id);
    }
    await nextTurn();
    // Prepared, if it is still the same later.
    owners(inventory(ledger.revision()), neighbours());
    await nextTurn();
    const elapsedMs = lastAt === undefined ? 0 : performance.now() - lastAt;
    lastAt = performance.now();
    // In one turn: a change of log levels in between would find nothing to forget.
    const {
      flows: transferred,
      subjects,
      destinations,
    } = attribute(deltas, {
      ownerOf: owners(inventory(ledger.revision()), neighbours()),
      policyOf: ({ id }: CountedFlow) => policies.get(id),
      nameOf: names.nameOf,
    });
    records.add({ atMs: nowMs(), elapsedMs, subjects: [...subjects, ...linkUsage(now)], destinations });
    await nextTurn();
    records.writeIfDue();
    const open = new Set(listed.map(({ id }) => id));
    for (const id of policies.keys()) if (!open.has(id)) policies.delete(id);
    await passOn(transferred);
  }

  /** Some devices in a turn, each with all its connections. */
  async function passOn(transferred: readonly DeviceFlow[]): Promise<void> {
    const byDevice = [...Map.groupBy(transferred, ({ device }) => device).values()];
    for (let first = 0; first < byDevice.length; first += devicesPerTurn) {
      await nextTurn();
      onFlows(byDevice.slice(first, first + devicesPerTurn).flat(), nowMs());
    }
  }

  function linkUsage({ intent }: Compiled): (Subject & { readonly usage: Usage })[] {
    const tunnels = intent.tunnels.filter(({ enabled }) => enabled);
    const uplinks = intent.network.uplinks;
    const usage = interfaces.read([...tunnels.map((it) => it.interface), ...uplinks]);
    const of = (kind: "tunnel" | "uplink", id: string, name: string) => {
      const found = usage.get(name);
      return found ? [{ kind, id, usage: found }] : [];
    };
    return [
      ...tunnels.flatMap((it) => of("tunnel", it.id, it.interface)),
      ...uplinks.flatMap((name) => of("uplink", name, name)),
    ];
  }

  function schedule(afterMs: number): void {
    timer = setTimeout(() => {
      const startedAt = performance.now();
      reading = read().then(
        () => {
          isFailing = false;
        },
        (error: unknown) => {
          if (!isFailing && !isClosed) warn("The traffic counters cannot be read", error);
          isFailing = true;
        },
      );
      void reading.then(() => {
        if (!isClosed) schedule(pauseAfterMs(performance.now() - startedAt));
      });
    }, afterMs);
  }

  function applyLevels(): void {
    const levelOf = levelIn(inventory(ledger.revision()));
    for (const device of new Set([...store.devices(), ...records.pendingDevices()]))
      if (levelOf(device) === "none") records.forget(device, "everything");
    const named = [
      ...store.devicesWithDestinations(),
      ...records.pendingDestinations(undefined).map((it) => it.device),
    ];
    for (const device of new Set(named)) if (levelOf(device) === "counts") records.forget(device, "destinations");
  }

  schedule(1000);
  return {
    ...records,
    learn: names.learn,
    isMeasuring: () => !isFailing && lastAt !== undefined && performance.now() - lastAt < oldMs,
    applyLevels,
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      events.stop();
      await reading;
      records.flush();
    },
  };
}

interface Saved {
  readonly boot: string;
  readonly flows: readonly CountedBefore[];
  readonly interfaces: readonly InterfaceCounters[];
  /** Connection → policy. */
  readonly policies: readonly (readonly [number, string])[];
}

/** What was counted already, unless the machine has booted since: the kernel's counters have begun again. */
function savedIn(system: System, file: string): Saved | undefined {
  try {
    const saved = JSON.parse(system.readText(file) ?? "null") as Saved | null;
    return saved?.boot === bootOf(system) ? saved : undefined;
  } catch {
    return undefined; // Not ours, or of another version: nothing is counted twice without it.
  }
}

const bootOf = (system: System): string => system.readText("/proc/sys/kernel/random/boot_id")?.trim() ?? "";
