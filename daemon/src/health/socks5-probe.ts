import { requestTcp, type Server } from "../system/socket-request.ts";
import type { Probe } from "./probe.ts";

interface Needs {
  readonly nowMs: () => number;
  readonly server: Server;
  readonly onReply: (sequence: number, rttMs: number) => void;
  readonly onMissed: (sequence: number) => void;
}

/** Version 5, methods "no authentication" and "username/password" (RFC 1928). */
const methodRequest = Uint8Array.of(5, 2, 0, 2);
const replyTimeoutMs = 1500;
const quick = { everyMs: 40 };
/** So many refusals in a row are a failure: a host sent them, so no packet was lost. */
const maxRefusals = 6;

/** Probes a SOCKS5 server as its clients do: a host that answers pings need not accept connections. The source address selects the route. */
export function openSocks5Probe({ nowMs, server, onReply, onMissed }: Needs): Probe {
  let timer: NodeJS.Timeout | undefined;
  let everyMs = 0;
  let sequence = 0;
  let stopped = false;

  const isAnswered = (limitMs: number): Promise<boolean> =>
    requestTcp(server, methodRequest, limitMs).then(
      (answer) => answer[0] === 5,
      () => false,
    );

  function send(): void {
    const own = (sequence += 1);
    const startedAtMs = nowMs();
    void isAnswered(replyTimeoutMs).then((answered) => {
      if (stopped) return;
      if (answered) onReply(own, nowMs() - startedAtMs);
      else onMissed(own);
    });
  }

  function setPace(next: number): void {
    if (next === everyMs && timer) return;
    everyMs = next;
    clearInterval(timer);
    timer = stopped ? undefined : setInterval(send, everyMs);
    if (!stopped) send();
  }

  /** Parallel attempts: one lost packet delays a connection by a second. */
  async function burst(limitMs: number): Promise<boolean> {
    const untilMs = nowMs() + limitMs;
    return new Promise((resolve) => {
      let [open, refusals] = [0, 0];
      const again = setInterval(attempt, quick.everyMs);
      function attempt(): void {
        const leftMs = untilMs - nowMs();
        if (leftMs <= 0 || stopped) return end(false);
        open += 1;
        void isAnswered(leftMs).then((answered) => {
          open -= 1;
          if (!answered && nowMs() < untilMs) refusals += 1;
          if (answered || refusals >= maxRefusals || (open === 0 && untilMs <= nowMs())) end(answered);
        });
      }
      function end(answered: boolean): void {
        clearInterval(again);
        resolve(answered);
      }
      attempt();
    });
  }

  return {
    setPace,
    burst,
    tick: () => {},
    restart: () => {},
    stop: () => {
      stopped = true;
      clearInterval(timer);
    },
  };
}
