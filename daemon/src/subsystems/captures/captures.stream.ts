import { Problem } from "@portcullis/contract/problem";
import { type Capture, captureLimits, type CaptureLine } from "@portcullis/contract/subsystems/captures";
import type { Recording } from "./recording.ts";

interface Needs {
  readonly recording: Pick<Recording, "state" | "changed" | "summaries">;
  readonly capture: () => Capture;
  readonly after: number;
  /** Whether the reader may still read. */
  readonly isAuthorized: () => boolean;
  /** Lets other requests run first. */
  readonly pause: () => Promise<void>;
}

/** Opens streams of captures, a limited number at once. */
export function captureStreams() {
  let open = 0;
  return (needs: Needs): AsyncIterable<string> => {
    if (open >= captureLimits.streams)
      throw new Problem("limit_reached", { limit: captureLimits.streams, of: "streams of captures" });
    return counted(streamLines(needs));
  };
  /** A response that ends before its stream was read never starts it. */
  async function* counted(lines: AsyncGenerator<string>): AsyncGenerator<string> {
    open += 1;
    try {
      yield* lines;
    } finally {
      open -= 1;
    }
  }
}

/**
 * Lines of JSON. The reader's speed decides when the next packets are read from the disk, so a slow one costs no memory; one that is too
 * far behind continues with the newest packets, and gets the number of those in between.
 */
export async function* streamLines({ recording, capture, after, isAuthorized, pause }: Needs): AsyncGenerator<string> {
  let last = after;
  while (isAuthorized()) {
    const { packets, end } = recording.state();
    if (packets - last > maxLag) {
      const next = packets - maxLag / 2;
      yield line({ kind: "skipped", packets: next - last });
      last = next;
    }
    const summaries = await recording.summaries(last, batch);
    if (summaries.length > 0) {
      last = summaries.at(-1)!.number;
      yield summaries.map((packet) => line({ kind: "packet", packet })).join("");
      await pause();
    } else if (end) {
      yield line({ kind: "end", capture: capture() });
      return;
    } else if (!(await recording.changed(last, waitingMs))) yield line({ kind: "waiting" });
  }
}

const line = (content: CaptureLine): string => `${JSON.stringify(content)}\n`;

const batch = 256;
export const maxLag = 10_000;
const waitingMs = 15_000;
