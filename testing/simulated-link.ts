import {
  burstLimitMs,
  type LinkEvent,
  type LinkState,
  reduce,
  initialState,
  probeIntervalMs,
} from "../daemon/src/health/link-state.machine.ts";

/** A link in virtual time: packets are delayed or lost, probes and bursts are sent as ping sends them. */
export interface Simulation {
  readonly random: () => number;
  readonly rttMs: () => number;
  /** Whether a packet sent now is answered. */
  readonly passes: (atMs: number) => boolean;
  readonly inUse: boolean;
  readonly onStep?: (state: LinkState, atMs: number) => void;
}

export interface SimulatedLink {
  state(): LinkState;
  /** Advances the virtual clock. */
  runUntil(atMs: number): void;
  readonly dispatch: (event: LinkEvent) => void;
  /** Every change of its status. */
  readonly transitions: readonly {
    readonly status: LinkState["status"];
    readonly atMs: number;
    readonly reason: LinkState["reason"];
  }[];
  /** When the last reply to any probe arrived. */
  repliedAtMs(): number;
  bursts(): number;
}

const tickMs = 125;

export function simulatedLink({ random, rttMs, passes, inUse, onStep }: Simulation): SimulatedLink {
  let nowMs = 0;
  let state = initialState(0);
  let queue: { readonly atMs: number; readonly act: () => void }[] = [];
  let stream = { everyMs: 0, number: 0 };
  let sequence = 0;
  let repliedAtMs = 0;
  let bursts = 0;
  const transitions: { status: LinkState["status"]; atMs: number; reason: LinkState["reason"] }[] = [];

  const at = (atMs: number, act: () => void): void => void queue.push({ atMs, act });
  const startsAfterMs = (): number => 3 + random() * 40;

  function dispatch(event: LinkEvent): void {
    const before = state;
    state = reduce(state, event);
    if (state.status !== before.status) transitions.push({ status: state.status, atMs: nowMs, reason: state.reason });
    if (state.burst && state.burst.startedAtMs !== before.burst?.startedAtMs)
      at(nowMs + startsAfterMs(), sendBurst(state));
    if (state.status !== "down" && stream.everyMs !== probeIntervalMs(state)) {
      stream = { everyMs: probeIntervalMs(state), number: stream.number + 1 };
      at(nowMs + startsAfterMs(), sendRegular(stream.number));
    }
    onStep?.(state, nowMs);
  }

  function replied(): void {
    repliedAtMs = nowMs;
  }

  const sendRegular = (number: number) => () => {
    if (number !== stream.number) return;
    sequence += 1;
    const own = sequence;
    let isAnswered = false;
    if (passes(nowMs)) {
      const rtt = rttMs();
      at(nowMs + rtt, () => {
        if (number !== stream.number) return;
        isAnswered = true;
        replied();
        dispatch({ kind: "reply", atMs: nowMs, sequence: own, rttMs: rtt });
      });
    }
    at(nowMs + stream.everyMs + 4 + random() * 8, () => {
      if (number !== stream.number) return;
      if (!isAnswered) dispatch({ kind: "missed", atMs: nowMs, sequence: own });
      sendRegular(number)();
    });
  };

  const sendBurst = (state: LinkState) => () => {
    bursts += 1;
    const { startedAtMs } = state.burst!;
    const endsAtMs = nowMs + burstLimitMs(state);
    let isOver = false;
    function verdict(answered: boolean): void {
      if (isOver) return;
      isOver = true;
      dispatch({ kind: "burst", atMs: nowMs, startedAtMs, answered });
    }
    for (let sentMs = nowMs; sentMs < endsAtMs; sentMs += 16)
      at(sentMs, () => {
        if (isOver || !passes(nowMs)) return;
        at(nowMs + rttMs(), () => {
          if (isOver) return;
          replied();
          verdict(true);
        });
      });
    at(endsAtMs, () => verdict(false));
  };

  const tick = () => {
    dispatch({ kind: "time", atMs: nowMs });
    at(nowMs + tickMs, tick);
  };
  at(random() * tickMs, tick);
  at(0, () => dispatch({ kind: "configured", atMs: 0, wanted: true, present: true, inUse }));

  function runUntil(untilMs: number): void {
    for (;;) {
      const next = queue.reduce((soonest, it) => (it.atMs < soonest.atMs ? it : soonest), queue[0]!);
      if (next.atMs > untilMs) break;
      queue = queue.filter((it) => it !== next);
      nowMs = next.atMs;
      next.act();
    }
    nowMs = untilMs;
  }

  return { state: () => state, runUntil, dispatch, transitions, repliedAtMs: () => repliedAtMs, bursts: () => bursts };
}
