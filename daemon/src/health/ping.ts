/**
 * Bytes behind the ICMP header. With 16 or more ping writes the time of day into each packet, to the microsecond, and a
 * target could tell by the clock which tunnels and uplinks belong to one gateway. With fewer it measures no round trip.
 */
const payloadBytes = ["-s", "8"] as const;

/** How ping is told what to ask, and what its lines mean. The program is that of iputils. */
export interface PingTarget {
  readonly device: string;
  /** The routing mark its packets carry; 0 for none. */
  readonly mark: number;
  readonly target: string;
}

/** Asks for as long as it lives and also says what was not answered (`-O`). */
export const regularProbes = (asking: PingTarget, everyMs: number): readonly string[] => [
  "-n",
  "-O",
  "-i",
  String(Math.round(everyMs) / 1000),
  ...payloadBytes,
  ...bindOptions(asking),
];

const oneProbe = ["-n", "-q", "-c", "1", "-W", "2", ...payloadBytes] as const;
/** One probe, whose round trip follows from how long the program runs; the same to ourselves tells how much of that is its own. */
export const measuringProbe = (asking: PingTarget): readonly string[] => [...oneProbe, ...bindOptions(asking)];
export const referenceProbe: readonly string[] = [...oneProbe, "--", "127.0.0.1"];

/**
 * Asks quickly and ends with the first answer: a count together with a deadline counts answers, not questions. Every
 * question lost on a bad line is thus one more, and a good line sees one or two.
 */
export const quickProbes = (asking: PingTarget, limitMs: number): readonly string[] => [
  "-n",
  "-q",
  "-c",
  "1",
  "-w",
  String(Math.ceil(limitMs / 1000)),
  "-i",
  "0.01",
  ...payloadBytes,
  ...bindOptions(asking),
];

/** It understands marks in decimal only. */
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

/** Nothing for what is no news: headings, warnings, complaints of routers, and answers that come twice. */
export function readPing(line: string): PingLine | undefined {
  const missed = /^(?:\[[\d.]+\] )?no answer yet for icmp_seq=(\d+)$/.exec(line);
  if (missed) return { kind: "missed", sequence: Number(missed[1]) };
  const reply = /\bbytes from .*\bicmp_seq=(\d+) ttl=\d+$/.exec(line);
  return reply ? { kind: "reply", sequence: Number(reply[1]) } : undefined;
}

/** ping counts to 65535 and begins again; this goes on, with the number that is nearest to the last one. */
export function unwrapped(last: number, sequence: number): number {
  const ahead = (sequence - last) & 0xffff;
  return last + (ahead < 0x8000 ? ahead : ahead - 0x1_0000);
}
