/** Whether the gateway knows anything about an uplink: one that nothing probes is `unknown`, or off. */
export const isProbed = ({ status }: { readonly status: string }): boolean => !["unknown", "down"].includes(status);

/** A share of lost probes means nothing before there was one. */
export const lossOf = (uplink: { readonly status: string; readonly loss: number | null }): number | null =>
  isProbed(uplink) && uplink.status !== "connecting" ? uplink.loss : null;
