/** One connection to an upstream. Ids are the forwarder's own; answers come in any order. */
export interface Connection {
  query(question: Buffer, onAnswer: (answer: Buffer) => void, onFailure: (error: Error) => void): void;
  /** For good: what is still open fails. */
  close(reason: Error): void;
  readonly isOpen: () => boolean;
  /** When it was last heard of. */
  readonly lastReceivedAtMs: () => number;
}
