interface Uplink {
  readonly status: string;
  readonly loss: number | null;
}

/** The status of an uplink that is not probed; one that was probed and failed is `failed`. */
const unprobed: readonly string[] = ["down", "unknown"];

const isProbed = ({ status }: Pick<Uplink, "status">): boolean => !unprobed.includes(status);

/** Loss is meaningless before the first probe. */
export const lossOf = (uplink: Uplink): number | null =>
  isProbed(uplink) && uplink.status !== "connecting" ? uplink.loss : null;
