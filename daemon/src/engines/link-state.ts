/** How a link that carries packets is, as far as its own program knows. Whether packets get through, only probes tell. */
export interface LinkState {
  readonly kind: "absent" | "starting" | "ready" | "broken";
  /** Why it is not ready, for a person; empty when there is nothing to say. */
  readonly reason: string;
  /** Whom it speaks with. */
  readonly endpoint: string | null;
  readonly lastHandshakeMs: number | null;
  readonly rxBytes: number;
  readonly txBytes: number;
  /** Wall clock at which the two were read; null: they were not. */
  readonly countedAtMs: number | null;
}

export const absent: LinkState = {
  kind: "absent",
  reason: "",
  endpoint: null,
  lastHandshakeMs: null,
  rxBytes: 0,
  txBytes: 0,
  countedAtMs: null,
};

/** One that died a few times in a row will not live by being tried again. */
export const brokenAfterCrashes = 3;
