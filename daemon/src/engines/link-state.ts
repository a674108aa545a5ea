import type { Reason } from "@portcullis/contract/reason";

/** The state of a link as its own program reports it. Whether packets pass, only probes show. */
export interface LinkState {
  readonly kind: "absent" | "starting" | "ready" | "broken";
  /** Why it is not ready, if it is known. */
  readonly reason: Reason | null;
  /** Of the server. */
  readonly endpoint: string | null;
  readonly lastHandshakeMs: number | null;
  readonly rxBytes: number;
  readonly txBytes: number;
  /** Wall clock at which the two were read; null: not yet. */
  readonly countedAtMs: number | null;
}

export const absent: LinkState = {
  kind: "absent",
  reason: null,
  endpoint: null,
  lastHandshakeMs: null,
  rxBytes: 0,
  txBytes: 0,
  countedAtMs: null,
};

/** After this many crashes in a row the link counts as broken. */
export const brokenAfterCrashes = 3;
