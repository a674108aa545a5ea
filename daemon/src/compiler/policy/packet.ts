import type { Address } from "@portcullis/contract/addresses";

/** A packet as far as it decides its own way. What is not known matches no policy that asks for it. */
export interface Packet {
  readonly interface?: string | undefined;
  readonly mac?: string | undefined;
  readonly source?: Address | undefined;
  readonly destination?: Address | undefined;
  /** The name the destination was looked up by. */
  readonly domain?: string | undefined;
  readonly protocol?: Protocol | undefined;
  /** Of the destination. */
  readonly port?: number | undefined;
}

export type Protocol = "tcp" | "udp" | "icmp";
