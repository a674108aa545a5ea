interface Uplink {
  readonly status: string;
  readonly loss: number | null;
}

/** What the gateway reports of an uplink that nothing probes; one that was probed and failed is `failed`. */
const unprobed: readonly string[] = ["down", "unknown"];

export const isProbed = ({ status }: Pick<Uplink, "status">): boolean => !unprobed.includes(status);

/** A share of lost probes means nothing before there was one. */
export const lossOf = (uplink: Uplink): number | null =>
  isProbed(uplink) && uplink.status !== "connecting" ? uplink.loss : null;
