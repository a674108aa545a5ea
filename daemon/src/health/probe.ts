import type { System } from "../system/system.ts";
import {
  type PingTarget,
  measuringProbe,
  quickProbes,
  readPing,
  referenceProbe,
  regularProbes,
  unwrapped,
} from "./ping.ts";

/** Sends probes through one link and reports replies. The link state machine interprets them. */
export interface Probe {
  /** Sets the interval. While searching, all targets are probed until one of them answers. */
  setPace(everyMs: number, searching: boolean): void;
  /** Probes the likeliest targets quickly; resolves to whether one of them answered within the limit. */
  burst(limitMs: number): Promise<boolean>;
  /** Called periodically: after a target stopped answering, the others are probed again. */
  tick(): void;
  /** Restarts the probes, because the interface is another one of the same name. */
  restart(): void;
  stop(): void;
}

interface Needs {
  readonly system: System;
  readonly nowMs: () => number;
  readonly device: string;
  readonly mark: number;
  readonly targets: readonly string[];
  /** Probed only while none of the targets answers: public servers, which need not see a probe that the far end answers. */
  readonly fallbackTargets: readonly string[];
  /** From 0 to 1. */
  readonly random: () => number;
  readonly onReply: (sequence: number) => void;
  readonly onMissed: (sequence: number) => void;
  readonly onRoundTrip: (rttMs: number) => void;
}

const maxTargets = 4;
const silenceMs = 2000;
const retryDelayMs = 50;
/** After this time without a reply the fallback targets are probed as well. */
const fallbackAfterMs = 1000;
/** Probes of several links must not be synchronous, or targets could correlate the tunnels of one gateway. Never slower than requested. */
const jitter = { interval: 0.2, startMs: 100 } as const;
const roundTripEveryMs = { min: 20_000, max: 60_000 } as const;

export function openProbe(needs: Needs): Probe {
  const { system, nowMs, device, mark, targets, fallbackTargets, random, onReply, onMissed, onRoundTrip } = needs;
  const known = [...targets, ...fallbackTargets].slice(0, maxTargets);
  const preferred = known.filter((target) => targets.includes(target));
  let preferredSinceMs: number | undefined = nowMs();
  let measureAtMs = 0;
  let streams = new Map<string, { stop(): void }>();
  /** The target that answered. Many servers never answer pings. */
  let answering: string | undefined;
  let lastReplyAtMs = nowMs();
  let highest = 0;
  let current = { everyMs: 0, searching: true };
  let stopped = false;

  const pingTarget = (target: string): PingTarget => ({ device, mark, target });

  function startStream(target: string): { stop(): void } {
    let isOpen = true;
    let offset = highest;
    let last = 0;
    function onLine(line: string): void {
      const word = isOpen ? readPing(line) : undefined;
      if (!word) return;
      last = Math.max(last, unwrapped(last, word.sequence));
      const sequence = offset + unwrapped(last, word.sequence);
      if (word.kind === "missed") {
        if (answering === target) onMissed(recordSequence(sequence));
        return;
      }
      if (answering !== undefined && answering !== target) return;
      lastReplyAtMs = nowMs();
      selectTarget(target);
      onReply(recordSequence(sequence));
    }
    /** The sequence numbers of ping restart with each process. */
    function begin(): void {
      [offset, last] = [highest, 0];
    }
    const everyMs = current.everyMs * (1 - jitter.interval * random());
    let stream: { stop(): void } | undefined;
    const follow = () =>
      void (stream = system.follow("ping", regularProbes(pingTarget(target), everyMs), onLine, begin));
    const startMs = Math.round(jitter.startMs * random());
    const starting = startMs > 0 ? setTimeout(follow, startMs) : follow();
    return {
      stop: () => {
        isOpen = false;
        if (starting !== undefined) clearTimeout(starting);
        stream?.stop();
      },
    };
  }

  function recordSequence(sequence: number): number {
    highest = Math.max(highest, sequence);
    return sequence;
  }

  function selectTarget(target: string): void {
    answering = target;
    for (const [other, stream] of streams) if (other !== target) stream.stop();
    streams = new Map([...streams].filter(([other]) => other === target));
  }

  function reopen(): void {
    for (const stream of streams.values()) stream.stop();
    const candidates = preferredSinceMs !== undefined && preferred.length > 0 ? preferred : known;
    const targetsToProbe = answering === undefined ? candidates : [answering];
    streams = new Map(stopped ? [] : targetsToProbe.map((target) => [target, startStream(target)]));
  }

  function setPace(everyMs: number, searching: boolean): void {
    const isNew = everyMs !== current.everyMs;
    current = { everyMs, searching };
    if (isNew) reopen();
  }

  function tick(): void {
    if (answering !== undefined && nowMs() >= measureAtMs) void measure(answering);
    if (answering === undefined && preferredSinceMs !== undefined && nowMs() - preferredSinceMs >= fallbackAfterMs) {
      preferredSinceMs = undefined;
      if (preferred.length > 0 && preferred.length < known.length) reopen();
    }
    if (!current.searching || answering === undefined || nowMs() - lastReplyAtMs < silenceMs) return;
    answering = undefined;
    preferredSinceMs = nowMs();
    reopen();
  }

  /** Regular probes hold no time, so a single probe is timed once in a while. */
  async function measure(target: string): Promise<void> {
    measureAtMs = nowMs() + roundTripEveryMs.min + random() * (roundTripEveryMs.max - roundTripEveryMs.min);
    try {
      const [own, whole] = [await elapsedMs(referenceProbe), await elapsedMs(measuringProbe(pingTarget(target)))];
      if (!stopped) onRoundTrip(Math.max(0.1, whole - own));
    } catch {
      // No reply. The regular probes decide whether that is a failure.
    }
  }

  async function elapsedMs(probe: readonly string[]): Promise<number> {
    const startedAtMs = nowMs();
    await system.run("ping", probe, { timeoutMs: 3000 });
    return nowMs() - startedAtMs;
  }

  async function burst(limitMs: number): Promise<boolean> {
    const untilMs = nowMs() + limitMs;
    const answered = await firstAnswer(
      burstTargets().map(async (target) => ((await answers(target, untilMs)) ? target : false)),
    );
    if (answered === false) return false;
    // The burst has replies and the regular probes have none: their target does not answer, or their socket is outdated.
    if (!stopped && nowMs() - lastReplyAtMs > silenceMs + limitMs) {
      answering = answered;
      lastReplyAtMs = nowMs();
      reopen();
    }
    return true;
  }

  /** Two at most: each costs a process, and with a failed uplink many tunnels send bursts at once. */
  const burstTargets = (): readonly string[] =>
    [...new Set([...(answering === undefined ? [] : [answering]), ...known])].slice(0, 2);

  /** ping exits on ICMP errors and without a route. Both may be temporary, so it is restarted until the time is up. */
  async function answers(target: string, untilMs: number): Promise<boolean> {
    for (let leftMs = untilMs - nowMs(); leftMs > retryDelayMs && !stopped; leftMs = untilMs - nowMs()) {
      try {
        await system.run("ping", quickProbes(pingTarget(target), leftMs), { timeoutMs: Math.ceil(leftMs) });
        return true;
      } catch (error) {
        if (String(error).includes("No such device")) return false;
        await new Promise((resolve) => setTimeout(resolve, Math.min(retryDelayMs, Math.max(0, untilMs - nowMs()))));
      }
    }
    return false;
  }

  function stop(): void {
    stopped = true;
    reopen();
  }

  return { setPace, burst, tick, restart: reopen, stop };
}

/** The first result that is not false, or false when all are. */
function firstAnswer(answers: readonly Promise<string | false>[]): Promise<string | false> {
  return new Promise((resolve, reject) => {
    for (const answer of answers) answer.then((it) => it !== false && resolve(it), reject);
    Promise.all(answers).then(() => resolve(false), reject);
  });
}
