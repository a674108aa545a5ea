/** All local zones, each as the text of a zone file. */
export interface Authority {
  readonly port: number;
  /** One of `ownUsers`; it has no egress but loopback. */
  readonly userId: number;
  readonly zones: readonly ZoneText[];
}

export interface ZoneText {
  /** Without a dot at its end. */
  readonly name: string;
  readonly text: string;
}

/** A zone as configured. */
export interface Zone {
  readonly name: string;
  readonly serial: number;
  readonly ttlSec: number;
  readonly records: readonly ZoneRecord[];
}

export interface ZoneRecord {
  /** Below the zone; "@" is the zone itself. */
  readonly name: string;
  readonly type: RecordType;
  /** In zone file syntax. */
  readonly value: string;
  readonly ttlSec: number | null;
}

export type RecordType = "A" | "AAAA" | "CNAME" | "MX" | "TXT" | "SRV" | "NS" | "PTR" | "CAA";
