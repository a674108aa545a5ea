/**
 * Bytes after the ICMP header. With 16 or more ping writes the time of day into each packet, to the microsecond, by which a
 * target could correlate the tunnels and uplinks of one gateway. With fewer it measures no round trip.
 */
const payloadBytes = ["-s", "8"] as const;

/** Options and output of ping (iputils). */
export interface PingTarget {
  readonly device: string;
  /** The routing mark of its packets; 0 for none. */
  readonly mark: number;
  readonly target: string;
}

/** Probes until it is stopped, and also reports missing replies (`-O`). */
export const regularProbes = (target: PingTarget, everyMs: number): readonly string[] => [
  "-n",
  "-O",
  "-i",
  String(Math.round(everyMs) / 1000),
  ...payloadBytes,
  ...bindOptions(target),
];

const oneProbe = ["-n", "-q", "-c", "1", "-W", "2", ...payloadBytes] as const;
/** One probe, whose round trip is the run time of the program, less that of the same probe to loopback. */
export const measuringProbe = (target: PingTarget): readonly string[] => [...oneProbe, ...bindOptions(target)];
export const referenceProbe: readonly string[] = [...oneProbe, "--", "127.0.0.1"];

/**
 * Probes quickly and ends with the first reply: a count together with a deadline counts replies, not requests. A lossy link
 * thus gets more probes, and a good one gets one or two.
 */
export const quickProbes = (target: PingTarget, limitMs: number): readonly string[] => [
  "-n",
  "-q",
  "-c",
  "1",
  "-w",
  String(Math.ceil(limitMs / 1000)),
  "-i",
  "0.01",
  ...payloadBytes,
  ...bindOptions(target),
];

/** ping accepts marks in decimal only. */
const bindOptions = ({ device, mark, target }: PingTarget): readonly string[] => [
  "-I",
  device,
  ...(mark === 0 ? [] : ["-m", String(mark)]),
  "--",
  target,
];

export type PingLine =
  | { readonly kind: "reply"; readonly sequence: number }
  | { readonly kind: "missed"; readonly sequence: number };

/** undefined for other lines: headings, warnings, ICMP errors of routers, and duplicate replies. */
export function readPing(line: string): PingLine | undefined {
  const missed = /^(?:\[[\d.]+\] )?no answer yet for icmp_seq=(\d+)$/.exec(line);
  if (missed) return { kind: "missed", sequence: Number(missed[1]) };
  const reply = /\bbytes from .*\bicmp_seq=(\d+) ttl=\d+$/.exec(line);
  return reply ? { kind: "reply", sequence: Number(reply[1]) } : undefined;
}

/** Sequence numbers of ping wrap at 65535; this continues with the number nearest to the last one. */
export function unwrapped(last: number, sequence: number): number {
  const ahead = (sequence - last) & 0xffff;
  return last + (ahead < 0x8000 ? ahead : ahead - 0x1_0000);
}
