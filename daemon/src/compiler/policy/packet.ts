import type { Address } from "../../net/addresses.ts";

/** The fields of a packet that policies match. An unknown field matches no policy that uses it. */
export interface Packet {
  readonly interface?: string | undefined;
  readonly mac?: string | undefined;
  readonly source?: Address | undefined;
  readonly destination?: Address | undefined;
  /** The name that was resolved to the destination. */
  readonly domain?: string | undefined;
  readonly protocol?: Protocol | undefined;
  /** Of the destination. */
  readonly port?: number | undefined;
}

export type Protocol = "tcp" | "udp" | "icmp";
