/** One connection to an upstream. It uses its own message ids; answers arrive in any order. */
export interface Connection {
  query(message: Buffer, onAnswer: (answer: Buffer) => void, onFailure: (error: Error) => void): void;
  /** Permanently: open queries fail. */
  close(reason: Error): void;
  readonly isOpen: () => boolean;
  /** When data last arrived. */
  readonly lastReceivedAtMs: () => number;
}
