/** The header of a pcap stream in the byte order of the machine, as libpcap writes it. */
export interface PcapHeader {
  /** Of the list of link types on tcpdump.org. */
  readonly linkType: number;
  readonly snapLength: number;
}

/** Where a record lies in a chunk of bytes: its header and the captured bytes. */
export interface RecordPlace {
  readonly start: number;
  readonly end: number;
}

export const pcapHeaderBytes = 24;
export const recordHeaderBytes = 16;

/** libpcap writes microseconds; the magic number depends on the byte order. */
export const microseconds = 0xa1b2_c3d4;

/** undefined: more bytes are needed. */
export function parsePcapHeader(bytes: Buffer): PcapHeader | undefined {
  if (bytes.length < pcapHeaderBytes) return undefined;
  if (bytes.readUInt32LE(0) !== microseconds) throw new Error("tcpdump writes a format that is not known");
  return { snapLength: bytes.readUInt32LE(16), linkType: bytes.readUInt32LE(20) & 0xffff };
}

/** The complete records from an offset on. The bytes after the last one belong to an incomplete record. */
export function recordsIn(bytes: Buffer, from = 0): RecordPlace[] {
  const places: RecordPlace[] = [];
  for (let start = from; bytes.length >= start + recordHeaderBytes; ) {
    const end = start + recordHeaderBytes + bytes.readUInt32LE(start + 8);
    if (end > bytes.length) break;
    places.push({ start, end });
    start = end;
  }
  return places;
}

/** A record, or the beginning of one: the captured bytes may be fewer than its header announces. */
export interface PcapRecord {
  readonly seconds: number;
  readonly micros: number;
  /** Bytes on the link. */
  readonly length: number;
  readonly data: Buffer;
}

export const parseRecord = (bytes: Buffer): PcapRecord => ({
  seconds: bytes.readUInt32LE(0),
  micros: bytes.readUInt32LE(4),
  length: bytes.readUInt32LE(12),
  data: bytes.subarray(recordHeaderBytes),
});

export const recordTimeMs = (bytes: Buffer, start: number): number =>
  bytes.readUInt32LE(start) * 1000 + bytes.readUInt32LE(start + 4) / 1000;
