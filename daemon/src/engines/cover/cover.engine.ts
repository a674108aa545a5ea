import type { System } from "../../system/system.ts";
import type { Engine } from "../engine.ts";
import { type CoverStream, rhythmOf } from "./cover.model.ts";
import { restarted, type PingCounts, countLine, noPings } from "./cover.parse.ts";

export interface CoverChange {
  readonly kind: "start" | "stop";
  readonly stream: CoverStream;
}

export interface CoverState {
  readonly name: string;
  readonly packetsSent: number;
  readonly bytesSent: number;
  readonly packetsAnswered: number;
}

interface CoverEngine extends Engine<readonly CoverStream[], readonly CoverStream[], CoverChange> {
  /** What each stream has sent since it was started. */
  readonly states: () => readonly CoverState[];
  /** Not supervised: padding ends with the daemon. */
  readonly close: () => void;
}

interface Running {
  readonly stream: CoverStream;
  readonly ping: { stop(): void };
  readonly count: { pings: PingCounts };
}

/** Padding by ping, one process per stream. */
export function coverEngine({ system }: { readonly system: System }): CoverEngine {
  const running = new Map<string, Running>();

  function start(stream: CoverStream): void {
    const { payloadBytes, intervalMs } = rhythmOf(stream);
    const [interval, size] = [(intervalMs / 1000).toFixed(3), String(payloadBytes)];
    const path = ["-I", stream.interface, "-m", String(stream.mark)];
    const args = ["-n", "-O", ...path, "-i", interval, "-s", size, "-p", anyPattern(), "--", stream.target];
    const count = { pings: noPings };
    const onLine = (line: string) => void (count.pings = countLine(count.pings, line));
    const onGap = () => void (count.pings = restarted(count.pings));
    running.set(stream.name, { stream, count, ping: system.follow("ping", args, onLine, onGap) });
  }

  function stop({ name }: CoverStream): void {
    running.get(name)?.ping.stop();
    running.delete(name);
  }

  return {
    name: "cover",
    observe: async () => [...running.values()].map(({ stream }) => stream),
    changes: (wanted, actual) => [
      ...actual.filter((it) => !wanted.some((other) => isSame(it, other))).map(changeOf("stop")),
      ...wanted.filter((it) => !actual.some((other) => isSame(it, other))).map(changeOf("start")),
    ],
    drift: () => [],
    apply: async (changes) => {
      for (const { kind, stream } of changes) (kind === "start" ? start : stop)(stream);
    },
    states: () =>
      [...running.values()].map(({ stream, count: { pings } }) => ({
        name: stream.name,
        packetsSent: pings.sent,
        bytesSent: pings.sent * rhythmOf(stream).packetBytes,
        packetsAnswered: pings.answered,
      })),
    close: () => {
      for (const { stream } of running.values()) stop(stream);
    },
  };
}

const changeOf = (kind: CoverChange["kind"]) => (stream: CoverStream) => ({ kind, stream });

const isSame = (a: CoverStream, b: CoverStream): boolean =>
  a.name === b.name &&
  a.interface === b.interface &&
  a.mark === b.mark &&
  a.target === b.target &&
  a.bytesPerSec === b.bytesPerSec;

/** Sixteen bytes, as many as ping takes. */
const anyPattern = (): string =>
  Array.from({ length: 16 }, () =>
    Math.floor(Math.random() * 256)
      .toString(16)
      .padStart(2, "0"),
  ).join("");
