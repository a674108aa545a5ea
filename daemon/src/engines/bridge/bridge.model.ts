/** One bridge of the kernel as it should be. */
export interface BridgeLink {
  readonly interface: string;
  readonly members: readonly string[];
  /** With the length of their network. */
  readonly addresses: readonly string[];
  readonly stp: boolean;
}
