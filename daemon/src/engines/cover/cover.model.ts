/** Padding: packets without content, so that an observer of an egress cannot see when it is used. */
export interface CoverStream {
  readonly name: string;
  /** It leaves by this interface or not at all. */
  readonly interface: string;
  /** Of that egress. */
  readonly mark: number;
  /** An address the operator names; what it answers is padding too, in the other direction. */
  readonly target: string;
  /** At most, in each direction, as packets of IP. */
  readonly bytesPerSec: number;
}

/** The parameters of ping. */
export interface Rhythm {
  readonly payloadBytes: number;
  readonly packetBytes: number;
  readonly intervalMs: number;
}

/** Some packets a second, larger ones rather than more of them, and never more than allowed. */
export function rhythmOf({ target, bytesPerSec }: CoverStream): Rhythm {
  const headerBytes = target.includes(":") ? 48 : 28;
  const packetBytes = Math.min(mostPacketBytes, Math.max(headerBytes + leastPayloadBytes, Math.floor(bytesPerSec / 4)));
  const intervalMs = Math.max(leastIntervalMs, Math.ceil((packetBytes / bytesPerSec) * 1000));
  return { payloadBytes: packetBytes - headerBytes, packetBytes, intervalMs };
}

/** Fits into every tunnel. */
const mostPacketBytes = 1200;
/** ping needs space for the time. */
const leastPayloadBytes = 16;
/** ping goes no faster. */
const leastIntervalMs = 2;
