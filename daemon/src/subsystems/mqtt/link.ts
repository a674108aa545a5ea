import type { Announce } from "@portcullis/contract/events";
import { explained, type Reason } from "@portcullis/contract/reason";
import type { MqttStatus } from "@portcullis/contract/subsystems/mqtt";
import { refusalOf } from "../mqtt-broker.ts";
import type { Entity } from "./entities.ts";
import type { Leaving, Session } from "./session.ts";

/** The destination of one run: settings that differ make another run. */
export interface Target {
  readonly host: string;
  readonly open: (onCurrent: (entities: readonly Entity[]) => void, signal: AbortSignal) => Promise<Session>;
}

interface Needs {
  readonly announce: Announce;
  readonly nowMs: () => number;
  readonly random: () => number;
}

export type Link = ReturnType<typeof mqttLink>;

/** The lasting connection to the broker: opened again after a failure, with a growing pause, and everything is published then. */
export function mqttLink({ announce, nowMs, random }: Needs) {
  let run: Run | undefined;
  let status: MqttStatus = off;

  function start(target: Target): void {
    const ending = new AbortController();
    const state: Run = { ending, wake: () => {}, leaving: "offline", done: Promise.resolve() };
    run = state;
    state.done = loop(target, state);
  }

  async function loop(target: Target, state: Run): Promise<void> {
    const { signal } = state.ending;
    status = { ...off, state: "connecting" };
    for (let failures = 0; !signal.aborted; failures++) {
      const connected = { since: null as number | null };
      const failure = await serve(target, state, connected).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (failure === undefined || signal.aborted) break;
      if (connected.since !== null) failures = 0;
      const pauseMs = pauseAfter(failures) * (1 + random() / 4);
      fail(target.host, refusalOf(failure).reason, pauseMs);
      await paused(pauseMs, signal);
    }
  }

  function fail(host: string, reason: Reason, pauseMs: number): void {
    const isNews = status.state !== "failed" || status.coded_reason?.code !== reason.code;
    const next_attempt_at = new Date(nowMs() + pauseMs).toISOString();
    status = { ...off, state: "failed", next_attempt_at, ...explained(reason) };
    if (isNews) announce("mqtt.disconnected", { host, ...explained(reason) });
  }

  /** Resolves when the run is ended; rejects when the connection has failed. */
  async function serve(target: Target, state: Run, connected: { since: number | null }): Promise<void> {
    const { signal } = state.ending;
    const changes = gate();
    let failure: Error | undefined;
    const session = await target.open((entities) => {
      const counts = { entities: entities.length, unavailable: entities.filter((it) => it.value === null).length };
      const isFirst = connected.since === null;
      connected.since ??= nowMs();
      status = { ...off, state: "connected", connected_since: new Date(connected.since).toISOString(), ...counts };
      if (isFirst) announce("mqtt.connected", { host: target.host });
    }, signal);
    void session.ended.then((error) => {
      failure = error;
      changes.pass();
    });
    const ending = () => {
      changes.pass();
      setTimeout(session.close, leavingMs).unref();
    };
    signal.addEventListener("abort", ending, { once: true });
    if (signal.aborted) ending();
    state.wake = changes.pass;
    const ticking = setInterval(changes.pass, refreshMs).unref();
    try {
      while (!signal.aborted) {
        await session.refresh();
        await changes.next();
        if (failure) throw failure;
        if (!signal.aborted) await paused(settleMs, signal);
      }
      await session.leave(state.leaving);
    } finally {
      clearInterval(ticking);
      session.close();
    }
  }

  async function stop(leaving: Leaving): Promise<void> {
    const ended = run;
    run = undefined;
    if (!ended) return;
    ended.leaving = leaving;
    ended.ending.abort();
    await ended.done;
    status = off;
  }

  return {
    status: (): MqttStatus => status,
    /** Replaces the connection. undefined: there is none any more. */
    change: async (target: Target | undefined, leaving: Leaving): Promise<void> => {
      await stop(leaving);
      if (target) start(target);
    },
    /** Something may have changed. */
    wake: (): void => run?.wake(),
    close: (): Promise<void> => stop("offline"),
  };
}

interface Run {
  readonly ending: AbortController;
  wake: () => void;
  leaving: Leaving;
  done: Promise<void>;
}

/** Numbers change without an event. */
const refreshMs = 30_000;
const settleMs = 500;
/** A broker that hangs must not delay the end of the daemon. */
const leavingMs = 2000;

const off: MqttStatus = {
  state: "off",
  connected_since: null,
  entities: 0,
  unavailable: 0,
  next_attempt_at: null,
  ...explained(null),
};

/** From 1 s to 5 minutes. */
export const pauseAfter = (failures: number): number => Math.min(1000 * 2 ** Math.min(failures, 20), 300_000);

/** Lets one through for all that passed since. */
function gate() {
  let isOpen = false;
  let open = (): void => {};
  return {
    pass: (): void => {
      isOpen = true;
      open();
    },
    next: async (): Promise<void> => {
      if (!isOpen) await new Promise<void>((resolve) => (open = resolve));
      isOpen = false;
    },
  };
}

const paused = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(done, ms);
    timer.unref();
    signal.addEventListener("abort", done, { once: true });
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
  });
