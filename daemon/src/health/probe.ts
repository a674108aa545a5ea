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

/** Asks through one way. It only hears; what that means is decided elsewhere. */
export interface Probe {
  /** How often to ask. Somebody who searches asks all targets, until one of them answers. */
  setPace(everyMs: number, searching: boolean): void;
  /** Asks the likeliest targets quickly; whether any of them answered within the limit. */
  burst(limitMs: number): Promise<boolean>;
  /** To be called now and then: a target that has gone silent gives the others a chance. */
  tick(): void;
  /** Begins anew, for the device is another one of the same name. */
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
/** How long the targets have before the fallback targets are probed as well. */
const fallbackAfterMs = 1000;
/** Streams that begin together must not go on together: by that, too, tunnels of one gateway could be told. Never slower than asked for. */
const jitter = { interval: 0.2, startMs: 100 } as const;
const roundTripEveryMs = { least: 20_000, most: 60_000 } as const;

export function openProbe(needs: Needs): Probe {
  const { system, nowMs, device, mark, targets, fallbackTargets, random, onReply, onMissed, onRoundTrip } = needs;
  const known = [...targets, ...fallbackTargets].slice(0, maxTargets);
  const preferred = known.filter((target) => targets.includes(target));
  let preferredSinceMs: number | undefined = nowMs();
  let measureAtMs = 0;
  let streams = new Map<string, { stop(): void }>();
  /** The one that answered. Servers that never answer pings are quite usual. */
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
    /** ping begins to count anew with each start. */
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
    const asked = answering === undefined ? candidates : [answering];
    streams = new Map(stopped ? [] : asked.map((target) => [target, startStream(target)]));
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

  /** The regular probes carry no time, so now and then one is timed from outside. */
  async function measure(target: string): Promise<void> {
    measureAtMs = nowMs() + roundTripEveryMs.least + random() * (roundTripEveryMs.most - roundTripEveryMs.least);
    try {
      const [own, whole] = [await elapsedMs(referenceProbe), await elapsedMs(measuringProbe(pingTarget(target)))];
      if (!stopped) onRoundTrip(Math.max(0.1, whole - own));
    } catch {
      // Not answered. Whether that means anything is for the regular probes to find out.
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
    // The burst was heard and the regular probes are not: their target is silent, or their socket is of another time.
    if (!stopped && nowMs() - lastReplyAtMs > silenceMs + limitMs) {
      answering = answered;
      lastReplyAtMs = nowMs();
      reopen();
    }
    return true;
  }

  /** A second opinion costs a process, and an uplink that goes takes many tunnels with it at once. */
  const burstTargets = (): readonly string[] =>
    [...new Set([...(answering === undefined ? [] : [answering]), ...known])].slice(0, 2);

  /** ping gives up when a router complains or there is no route. Both may pass, so it is asked again until time is up. */
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

/** The first that is not false, as soon as it is there; false when all of them are. */
function firstAnswer(answers: readonly Promise<string | false>[]): Promise<string | false> {
  return new Promise((resolve, reject) => {
    for (const answer of answers) answer.then((it) => it !== false && resolve(it), reject);
    Promise.all(answers).then(() => resolve(false), reject);
  });
}
