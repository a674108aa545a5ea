import type { System } from "../system/system.ts";
import { type Asking, quickProbes, readPing, regularProbes, unwrapped } from "./ping.ts";

/** Asks through one way. It only hears; what that means is decided elsewhere. */
export interface Probe {
  /** How often to ask. Somebody who searches asks all targets, until one of them answers. */
  pace(everyMs: number, searching: boolean): void;
  /** Asks the likeliest targets quickly; whether any of them answered within the limit. */
  burst(limitMs: number): Promise<boolean>;
  /** To be called now and then: a target that has gone silent gives the others a chance. */
  tend(): void;
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
  readonly onReply: (sequence: number, rttMs: number) => void;
  readonly onMissed: (sequence: number) => void;
}

const mostTargets = 4;
const silenceMs = 2000;
const breathMs = 50;

export function openProbe({ system, nowMs, device, mark, targets, onReply, onMissed }: Needs): Probe {
  const known = targets.slice(0, mostTargets);
  let streams = new Map<string, { stop(): void }>();
  /** The one that answered. Servers that never answer pings are quite usual. */
  let settled: string | undefined;
  let heardAtMs = nowMs();
  let highest = 0;
  let current = { everyMs: 0, searching: true };
  let stopped = false;

  const asking = (target: string): Asking => ({ device, mark, target });

  function listen(target: string): { stop(): void } {
    let isOpen = true;
    let offset = highest;
    let last = 0;
    function hear(line: string): void {
      const word = isOpen ? readPing(line) : undefined;
      if (!word) return;
      last = Math.max(last, unwrapped(last, word.sequence));
      const sequence = offset + unwrapped(last, word.sequence);
      if (word.kind === "missed") {
        if (settled === target) onMissed(note(sequence));
        return;
      }
      if (settled !== undefined && settled !== target) return;
      heardAtMs = nowMs();
      settle(target);
      onReply(note(sequence), word.rttMs);
    }
    /** ping begins to count anew with each start. */
    function begin(): void {
      [offset, last] = [highest, 0];
    }
    const stream = system.follow("ping", regularProbes(asking(target), current.everyMs), hear, begin);
    return {
      stop: () => {
        isOpen = false;
        stream.stop();
      },
    };
  }

  function note(sequence: number): number {
    highest = Math.max(highest, sequence);
    return sequence;
  }

  function settle(target: string): void {
    settled = target;
    for (const [other, stream] of streams) if (other !== target) stream.stop();
    streams = new Map([...streams].filter(([other]) => other === target));
  }

  function reopen(): void {
    for (const stream of streams.values()) stream.stop();
    const asked = known.filter((target) => settled === undefined || settled === target);
    streams = new Map(stopped ? [] : asked.map((target) => [target, listen(target)]));
  }

  function pace(everyMs: number, searching: boolean): void {
    const isNew = everyMs !== current.everyMs;
    current = { everyMs, searching };
    if (isNew) reopen();
  }

  function tend(): void {
    if (!current.searching || settled === undefined || nowMs() - heardAtMs < silenceMs) return;
    settled = undefined;
    reopen();
  }

  async function burst(limitMs: number): Promise<boolean> {
    const untilMs = nowMs() + limitMs;
    const answered = await firstTrue(
      likeliest().map(async (target) => ((await answers(target, untilMs)) ? target : false)),
    );
    if (answered === false) return false;
    // The burst was heard and the regular probes are not: their target is silent, or their socket is of another time.
    if (!stopped && nowMs() - heardAtMs > silenceMs + limitMs) {
      settled = answered;
      heardAtMs = nowMs();
      reopen();
    }
    return true;
  }

  /** A second opinion costs a process, and an uplink that goes takes many tunnels with it at once. */
  const likeliest = (): readonly string[] =>
    [...new Set([...(settled === undefined ? [] : [settled]), ...known])].slice(0, 2);

  /** ping gives up when a router complains or there is no route. Both may pass, so it is asked again until time is up. */
  async function answers(target: string, untilMs: number): Promise<boolean> {
    for (let leftMs = untilMs - nowMs(); leftMs > breathMs && !stopped; leftMs = untilMs - nowMs()) {
      try {
        await system.run("ping", quickProbes(asking(target), leftMs), { timeoutMs: Math.ceil(leftMs) });
        return true;
      } catch (error) {
        if (String(error).includes("No such device")) return false;
        await new Promise((resolve) => setTimeout(resolve, Math.min(breathMs, Math.max(0, untilMs - nowMs()))));
      }
    }
    return false;
  }

  function stop(): void {
    stopped = true;
    reopen();
  }

  return { pace, burst, tend, restart: reopen, stop };
}

/** The first that is not false, as soon as it is there; false when all of them are. */
function firstTrue(answers: readonly Promise<string | false>[]): Promise<string | false> {
  return new Promise((resolve, reject) => {
    for (const answer of answers) answer.then((it) => it !== false && resolve(it), reject);
    Promise.all(answers).then(() => resolve(false), reject);
  });
}
