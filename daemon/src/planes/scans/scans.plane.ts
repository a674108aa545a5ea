import { join } from "node:path";
import type { Announce } from "@portcullis/contract/events";
import { because, literal, type Reason } from "@portcullis/contract/reason";
import { type Component, component } from "@portcullis/contract/subsystems/status";
import type { ScansEngine } from "../../engines/nftables/scans/scans.engine.ts";
import { recordedSec } from "../../engines/nftables/scans/scans.render.ts";
import type { System } from "../../system/system.ts";
import { examplesOf } from "./scan.ts";
import { examine, type PortScan, type Senders, suspects } from "./scans.machine.ts";

interface Needs {
  readonly system: System;
  readonly runFolder: string;
  readonly scans: Pick<ScansEngine, "counted" | "targets">;
  /** Why nothing is recorded; null: it is. */
  readonly notRecorded: () => Reason | null;
  /** A device by its MAC, and whether its destinations may be shown. */
  readonly deviceOf: (
    mac: string,
  ) => { readonly id: string; readonly name: string; readonly isShown: boolean } | undefined;
  readonly announce: Announce;
  readonly sinceBootMs: () => number;
  readonly warn: (message: string, error: unknown) => void;
}

/** Reading many targets takes longer: at most this share of one processor, and not more often than `least`. */
const pace = { leastMs: 10_000, mostMs: 120_000, share: 0.04 } as const;
const maxExamples = 5;
/** Packets that were not recorded are reported again after this time. */
const incompleteAgainMs = 600_000;

/** Looks for port scans in what the kernel records about new connections. */
export function openScansPlane(needs: Needs) {
  const { system, scans, notRecorded, deviceOf, announce, sinceBootMs, warn } = needs;
  const file = join(needs.runFolder, "scans.json");
  let senders: Senders = savedIn(system, file, sinceBootMs());
  let state: { readonly senders: number } | { readonly failure: string } | undefined;
  let unrecorded: number | undefined;
  let incompleteMs: number | undefined;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let reading: Promise<void> = Promise.resolve();

  async function round(): Promise<void> {
    if (notRecorded() !== null) return void (state = undefined);
    const counts = await scans.counted();
    if (!counts) return;
    state = { senders: counts.senders.length };
    reportIncomplete(counts.unrecorded);
    const suspected = suspects(senders, counts.senders, sinceBootMs());
    if (suspected.length === 0) return;
    const targets = await scans.targets();
    const found = examine({ senders, suspected, counted: counts.senders, targets, nowMs: sinceBootMs() });
    senders = found.senders;
    if (found.scans.length === 0 || isClosed) return;
    // A crash in between loses a report. In the other order a scan would be reported twice.
    save();
    for (const scan of found.scans) announce("device.port_scan", payloadOf(scan));
  }

  function payloadOf({ mac, targets }: PortScan) {
    const device = deviceOf(mac);
    return {
      device_id: device?.id ?? null,
      name: device?.name ?? mac,
      targets: targets.length,
      examples: device?.isShown ? examplesOf(targets, maxExamples) : [],
    };
  }

  function reportIncomplete(now: number): void {
    // The first reading is the baseline; fewer than before: the kernel has counted from 0 again.
    const packets = unrecorded === undefined ? 0 : now < unrecorded ? now : now - unrecorded;
    const isDue = incompleteMs === undefined || sinceBootMs() - incompleteMs >= incompleteAgainMs;
    if (packets > 0 && !isDue) return;
    unrecorded = now;
    if (packets === 0) return;
    incompleteMs = sinceBootMs();
    announce("port_scan.incomplete", { packets });
  }

  function save(): void {
    const reported = [...senders].flatMap(([mac, { reportedMs }]) => (reportedMs === null ? [] : [[mac, reportedMs]]));
    try {
      system.writeAtomically(file, JSON.stringify(reported), 0o600);
    } catch (error) {
      warn("Which port scans were reported cannot be saved", error);
    }
  }

  function schedule(afterMs: number): void {
    timer = setTimeout(() => {
      const startedAt = performance.now();
      reading = round().catch((error: Error) => {
        if (state === undefined || !("failure" in state)) warn("New connections of devices cannot be read", error);
        state = { failure: error.message };
      });
      void reading.then(() => {
        const tookMs = performance.now() - startedAt;
        if (!isClosed) schedule(Math.min(pace.mostMs, Math.max(pace.leastMs, tookMs / pace.share)));
      });
    }, afterMs);
    timer.unref();
  }

  function shown(): Component {
    const name = "port-scans";
    const why = notRecorded();
    if (why !== null) return component(name, "off", why);
    if (state === undefined) return component(name, "ok", because("scans_not_read_yet"));
    if ("failure" in state)
      return component(name, "degraded", because("scans_not_read", { why: literal(state.failure) }));
    if (incompleteMs !== undefined && sinceBootMs() - incompleteMs < recordedSec * 1000)
      return component(name, "degraded", because("scans_incomplete"));
    return component(name, "ok", because("scans_read", { senders: state.senders }));
  }

  schedule(1000);
  return {
    component: shown,
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      await reading;
    },
  };
}

/** What an earlier daemon reported. A time in the future is of an earlier boot. */
function savedIn(system: System, file: string, nowMs: number): Senders {
  try {
    const saved = JSON.parse(system.readText(file) ?? "[]") as [string, number][];
    const reported = saved.filter(([, reportedMs]) => reportedMs <= nowMs);
    return new Map(reported.map(([mac, reportedMs]) => [mac, { examined: 0, reportedMs, reported: null }]));
  } catch {
    return new Map(); // Not ours, or cut short: a scan may be reported once more.
  }
}
