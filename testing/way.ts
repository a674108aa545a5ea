import {
  burstLimitMs,
  type Happening,
  type Life,
  lived,
  newLife,
  probeEveryMs,
} from "../daemon/src/health/link-state.machine.ts";

/** A way to somewhere in virtual time: packets take their time or get lost, probes and bursts are sent as ping does. */
export interface World {
  readonly random: () => number;
  readonly rttMs: () => number;
  /** Whether a packet that leaves now arrives, and its answer comes back. */
  readonly passes: (atMs: number) => boolean;
  readonly inUse: boolean;
  readonly onStep?: (life: Life, atMs: number) => void;
}

export interface Way {
  life(): Life;
  /** Lets time pass until then. */
  runUntil(atMs: number): void;
  readonly happen: (happening: Happening) => void;
  /** Every status it had and since when. */
  readonly story: readonly { readonly status: Life["status"]; readonly atMs: number; readonly reason: string }[];
  /** When the last answer of any probe arrived. */
  heardAtMs(): number;
  bursts(): number;
}

const tickMs = 125;

export function simulatedWay({ random, rttMs, passes, inUse, onStep }: World): Way {
  let nowMs = 0;
  let life = newLife(0);
  let queue: { readonly atMs: number; readonly act: () => void }[] = [];
  let stream = { everyMs: 0, number: 0 };
  let sequence = 0;
  let heardAtMs = 0;
  let bursts = 0;
  const story: { status: Life["status"]; atMs: number; reason: string }[] = [];

  const at = (atMs: number, act: () => void): void => void queue.push({ atMs, act });
  const startsAfterMs = (): number => 3 + random() * 40;

  function happen(happening: Happening): void {
    const before = life;
    life = lived(life, happening);
    if (life.status !== before.status) story.push({ status: life.status, atMs: nowMs, reason: life.reason });
    if (life.burst && life.burst.startedAtMs !== before.burst?.startedAtMs)
      at(nowMs + startsAfterMs(), sendBurst(life));
    if (life.status !== "down" && stream.everyMs !== probeEveryMs(life)) {
      stream = { everyMs: probeEveryMs(life), number: stream.number + 1 };
      at(nowMs + startsAfterMs(), sendRegular(stream.number));
    }
    onStep?.(life, nowMs);
  }

  function heard(): void {
    heardAtMs = nowMs;
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
        heard();
        happen({ kind: "reply", atMs: nowMs, sequence: own, rttMs: rtt });
      });
    }
    at(nowMs + stream.everyMs + 4 + random() * 8, () => {
      if (number !== stream.number) return;
      if (!isAnswered) happen({ kind: "missed", atMs: nowMs, sequence: own });
      sendRegular(number)();
    });
  };

  const sendBurst = (asked: Life) => () => {
    bursts += 1;
    const { startedAtMs } = asked.burst!;
    const endsAtMs = nowMs + burstLimitMs(asked);
    let isOver = false;
    function verdict(answered: boolean): void {
      if (isOver) return;
      isOver = true;
      happen({ kind: "burst", atMs: nowMs, startedAtMs, answered });
    }
    for (let sentMs = nowMs; sentMs < endsAtMs; sentMs += 16)
      at(sentMs, () => {
        if (isOver || !passes(nowMs)) return;
        at(nowMs + rttMs(), () => {
          if (isOver) return;
          heard();
          verdict(true);
        });
      });
    at(endsAtMs, () => verdict(false));
  };

  const tick = () => {
    happen({ kind: "time", atMs: nowMs });
    at(nowMs + tickMs, tick);
  };
  at(random() * tickMs, tick);
  at(0, () => happen({ kind: "attended", atMs: 0, wanted: true, present: true, inUse }));

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

  return { life: () => life, runUntil, happen, story, heardAtMs: () => heardAtMs, bursts: () => bursts };
}
