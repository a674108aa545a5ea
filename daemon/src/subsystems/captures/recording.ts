import type { Capture, CapturedPacket } from "@portcullis/contract/subsystems/captures";

/** What is recorded. */
export interface RecordingRequest {
  readonly interface: string;
  readonly filter: string;
  readonly count: number;
  readonly durationSec: number;
}

export interface RecordingState {
  readonly packets: number;
  readonly bytes: number;
  readonly withheld: number;
  readonly dropped: number | null;
  /** undefined: it is running. */
  readonly end: RecordingEnd | undefined;
}

export interface RecordingEnd {
  readonly reason: NonNullable<Capture["end_reason"]>;
  readonly failure: string | null;
  readonly atMs: number;
}

/** A capture that is running or has ended, with its packets. */
export interface Recording {
  readonly state: () => RecordingState;
  /** Packets with a number above `after`, in their order. */
  readonly summaries: (after: number, limit: number) => Promise<CapturedPacket[]>;
  /** All dissected layers of one packet, as text; undefined: there is no such packet. */
  readonly details: (number: number) => Promise<string | undefined>;
  /** In the format pcapng. */
  readonly file: () => AsyncIterable<Uint8Array>;
  /** Resolves to true when there are packets above `after` or it has ended, and to false after the time. */
  readonly changed: (after: number, limitMs: number) => Promise<boolean>;
  /** Resolves when the packets up to now are recorded. */
  readonly stop: () => Promise<void>;
  /** Ends it without waiting for packets, and deletes it. */
  readonly close: () => Promise<void>;
}
