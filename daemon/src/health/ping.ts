/** How ping is told what to ask, and what its lines mean. The program is that of iputils. */
export interface Asking {
  readonly device: string;
  /** The routing mark its packets carry; 0 for none. */
  readonly mark: number;
  readonly target: string;
}

/** Asks for as long as it lives and also says what was not answered (`-O`). */
export const regularProbes = (asking: Asking, everyMs: number): readonly string[] => [
  "-n",
  "-O",
  "-i",
  String(everyMs / 1000),
  ...through(asking),
];

/**
 * Asks quickly and ends with the first answer: a count together with a deadline counts answers, not questions. Every
 * question lost on a bad line is thus one more, and a good line sees one or two.
 */
export const quickProbes = (asking: Asking, limitMs: number): readonly string[] => [
  "-n",
  "-q",
  "-c",
  "1",
  "-w",
  String(Math.ceil(limitMs / 1000)),
  "-i",
  "0.01",
  ...through(asking),
];

/** It understands marks in decimal only. */
const through = ({ device, mark, target }: Asking): readonly string[] => [
  "-I",
  device,
  ...(mark === 0 ? [] : ["-m", String(mark)]),
  "--",
  target,
];

export type PingWord =
  | { readonly kind: "reply"; readonly sequence: number; readonly rttMs: number }
  | { readonly kind: "missed"; readonly sequence: number };

/** Nothing for what is no news: headings, warnings, complaints of routers, and answers that come twice. */
export function readPing(line: string): PingWord | undefined {
  const missed = /^(?:\[[\d.]+\] )?no answer yet for icmp_seq=(\d+)$/.exec(line);
  if (missed) return { kind: "missed", sequence: Number(missed[1]) };
  const reply = /\bbytes from .*\bicmp_seq=(\d+) .*\btime[=<]([\d.]+) ms$/.exec(line);
  return reply ? { kind: "reply", sequence: Number(reply[1]), rttMs: Number(reply[2]) } : undefined;
}

/** ping counts to 65535 and begins again; this goes on, with the number that is nearest to the last one. */
export function unwrapped(last: number, sequence: number): number {
  const ahead = (sequence - last) & 0xffff;
  return last + (ahead < 0x8000 ? ahead : ahead - 0x1_0000);
}
