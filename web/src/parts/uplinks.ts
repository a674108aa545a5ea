/** `down` is what the gateway reports of an uplink that nothing probes; one that was probed and failed is `failed`. */
export const isProbed = ({ status }: { readonly status: string }): boolean => status !== "down";

/** A share of lost probes means nothing before there was one. */
export const lossOf = (uplink: { readonly status: string; readonly loss: number }): number | null =>
  isProbed(uplink) && uplink.status !== "connecting" ? uplink.loss : null;
