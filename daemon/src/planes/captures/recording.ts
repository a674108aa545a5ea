import {
  parsePcapHeader,
  pcapHeaderBytes,
  type PcapHeader,
  type RecordPlace,
  recordHeaderBytes,
  recordsIn,
  recordTimeMs,
} from "../../engines/tcpdump/pcap.parse.ts";
import { blockMs } from "../../engines/tcpdump/tcpdump.render.ts";
import type { RecordingEnd, RecordingRequest, RecordingState } from "../../subsystems/captures/recording.ts";
import type { Streamed } from "../../system/streamed.ts";
import type { UnnamedFile } from "../../system/unnamed-file.ts";

interface Needs {
  readonly request: Omit<RecordingRequest, "interface" | "filter">;
  readonly maxBytes: number;
  readonly program: Streamed;
  readonly file: UnnamedFile;
  /** Whether a packet must not be recorded. Requested for each chunk of packets, because the devices may change meanwhile. */
  readonly withheld: () => ((data: Buffer, linkType: number) => boolean) | undefined;
  readonly nowMs: () => number;
}

/** Where the packets of a capture are in its file. */
export interface Recorded {
  readonly header: PcapHeader;
  readonly state: () => RecordingState;
  /** Start of a packet in the file, by its number from 1; that after the last one is the end of the file. */
  readonly startOf: (number: number) => number;
  readonly changed: (after: number, limitMs: number) => Promise<boolean>;
  readonly stop: () => Promise<void>;
  /** Ends at once. */
  readonly abort: () => Promise<void>;
}

/**
 * Writes what tcpdump prints into a file, without decoding it: about a microsecond for a packet. tcpdump waits while the disk does, and
 * the kernel counts what it drops meanwhile, so the memory of this process is bounded. Resolves when tcpdump listens.
 */
export async function recordPackets({ request, maxBytes, program, file, withheld, nowMs }: Needs): Promise<Recorded> {
  const starts: number[] = [];
  const waiting = new Set<() => void>();
  let size = 0;
  let withheldPackets = 0;
  let isFull = false;
  let ending: { readonly reason: RecordingEnd["reason"]; readonly atMs: number } | undefined;
  let end: RecordingEnd | undefined;
  let dropped: number | null = null;

  function wake(): void {
    for (const resolve of waiting) resolve();
  }

  /** Packets that arrived later are not recorded, but those that the kernel still has are. */
  function finish(reason: RecordingEnd["reason"], graceMs: number): void {
    if (ending) return;
    ending = { reason, atMs: nowMs() };
    setTimeout(program.end, graceMs);
  }

  async function keep(bytes: Buffer, places: readonly RecordPlace[], linkType: number): Promise<void> {
    const isWithheld = withheld();
    const kept: RecordPlace[] = [];
    let bytesKept = 0;
    for (const place of places) {
      if (isFull || (ending && recordTimeMs(bytes, place.start) > ending.atMs)) break;
      if (isWithheld?.(bytes.subarray(place.start + recordHeaderBytes, place.end), linkType)) {
        withheldPackets += 1;
        continue;
      }
      kept.push(place);
      bytesKept += place.end - place.start;
      const isComplete = starts.length + kept.length >= request.count;
      isFull = isComplete || size + bytesKept >= maxBytes;
      if (isFull) finish(isComplete ? "count" : "size", 0);
    }
    if (kept.length === 0) return;
    await file.append(kept.length === places.length ? whole(bytes, kept) : pieces(bytes, kept));
    // Only now: readers see packets that are in the file.
    for (const { start, end: after } of kept) {
      starts.push(size);
      size += after - start;
    }
    wake();
  }

  const started = Promise.withResolvers<PcapHeader>();

  async function record(): Promise<void> {
    let header: PcapHeader | undefined;
    let rest: Buffer = Buffer.alloc(0);
    for await (const chunk of program.output) {
      const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
      rest = bytes;
      const isFirst = header === undefined;
      header ??= parsePcapHeader(bytes);
      if (!header) continue;
      if (isFirst) started.resolve(header);
      const from = isFirst ? pcapHeaderBytes : 0;
      const places = recordsIn(bytes, from);
      rest = bytes.subarray(places.at(-1)?.end ?? from);
      if (rest.length > maxRecordBytes) throw new Error("tcpdump writes a packet of an impossible size");
      await keep(bytes, places, header.linkType);
    }
  }

  const limit = setTimeout(finish, request.durationSec * 1000, "duration", blockMs + marginMs);
  const finished = record()
    .catch((error: unknown) => {
      program.end();
      return (error as Error).message;
    })
    .then(async (failure) => {
      const { complaint } = await program.ended;
      clearTimeout(limit);
      const atMs = ending?.atMs ?? nowMs();
      const why = failure ?? (ending ? undefined : lastLine(complaint));
      dropped = droppedIn(complaint);
      end = { reason: why === undefined ? ending!.reason : "failed", failure: why ?? null, atMs };
      started.reject(new Error(why ?? "it ended before it listened"));
      wake();
    });

  const header = await started.promise;
  return {
    header,
    state: () => ({ packets: starts.length, bytes: size, withheld: withheldPackets, dropped, end }),
    startOf: (number) => starts[number - 1] ?? size,
    changed: (after, limitMs) => {
      const isSo = () => end !== undefined || starts.length > after;
      if (isSo()) return Promise.resolve(true);
      return new Promise((resolve) => {
        const settle = () => {
          clearTimeout(timer);
          waiting.delete(settle);
          resolve(isSo());
        };
        const timer = setTimeout(settle, limitMs);
        waiting.add(settle);
      });
    },
    stop: () => {
      finish("stopped", blockMs + marginMs);
      return finished;
    },
    abort: () => {
      finish("stopped", 0);
      program.end();
      return finished;
    },
  };
}

/** What tcpdump needs to write a block that the kernel has completed. */
const marginMs = 150;

/** The largest packet of tcpdump, with its header. */
const maxRecordBytes = (256 << 10) + recordHeaderBytes;

const whole = (bytes: Buffer, places: readonly RecordPlace[]): Buffer =>
  bytes.subarray(places[0]!.start, places.at(-1)!.end);
const pieces = (bytes: Buffer, places: readonly RecordPlace[]): Buffer =>
  Buffer.concat(places.map(({ start, end }) => bytes.subarray(start, end)));

/** tcpdump prints it when it ends. */
const droppedIn = (complaint: string): number | null => {
  const found = /^(\d+) packets? dropped by kernel/m.exec(complaint);
  return found ? Number(found[1]) : null;
};

/** Without what it prints about a normal start and end. */
const lastLine = (complaint: string): string => {
  const lines = complaint
    .split("\n")
    .filter((line) => !/^(?:\(|\d+ packets? |tcpdump: listening on )/.test(line.trim()));
  return (lines.findLast((line) => line.trim() !== "") ?? "it ended without a message")
    .replace(/^tcpdump: /, "")
    .trim();
};
