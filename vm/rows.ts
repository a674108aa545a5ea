import type { Count } from "./machine.ts";

const kinds = ["tcp", "udp", "icmp", "dns-udp", "dns-tcp", "dot", "quic", "stun"] as const;
const families = [4, 6] as const;
/** The device's probes, as the probe monitor on the machine names them. */
export const probeNames = families.flatMap((family) => kinds.map((kind) => `${kind}${family}` as const));

/** Faults that only the machine can have: they need a boot, a service manager, or a kernel with flowtables. */
export const machineFaults = [1, 6, 7, 8, 23];

/** What came of one fault, as the leak matrix wants it. */
export interface Row {
  readonly fault: number;
  readonly name: string;
  readonly where: "vm";
  readonly cells: readonly Cell[];
  readonly seconds: number;
  readonly cites: readonly string[];
  /** What showed that it happened. */
  readonly evidence: string;
  /** Packets outside that are neither allowed nor a probe. */
  readonly findings: Readonly<Record<string, number>>;
}

interface Cell {
  readonly probe: (typeof probeNames)[number];
  readonly sent: number;
  /** Of these, seen outside. */
  readonly leaked: number;
  /** Seen outside with the same fault on a gateway without guard. */
  readonly control: number;
}

/** What was counted between two moments, or since power-on. */
export interface Span {
  readonly from: Count | undefined;
  readonly to: Count;
}

interface Story {
  readonly number: number;
  readonly name: string;
  readonly cites: readonly string[];
  readonly evidence: string;
}

export function rowOf({ number, name, cites, evidence }: Story, guarded: Span, unguarded: Span): Row {
  const cells = probeNames.map((probe) => ({
    probe,
    sent: grown(guarded, "sent", probe),
    leaked: grown(guarded, "leaked", probe),
    control: grown(unguarded, "leaked", probe),
  }));
  const findings = Object.keys(guarded.to.strange)
    .map((what) => [what, grown(guarded, "strange", what)] as const)
    .filter(([, count]) => count > 0);
  const seconds = Math.round(10 * (guarded.to.uptime - (guarded.from?.uptime ?? 0))) / 10;
  return { fault: number, name, where: "vm", cells, seconds, cites, evidence, findings: Object.fromEntries(findings) };
}

const grown = ({ from, to }: Span, what: "sent" | "leaked" | "strange", of: string): number =>
  (to[what][of] ?? 0) - (from?.[what][of] ?? 0);

/** What is wrong with a row, in words; nothing if it stands. */
export function complaints({ fault, name, cells, findings }: Row): readonly string[] {
  const wrong = [
    ...cells.filter(({ leaked }) => leaked !== 0).map((it) => `${it.probe} leaked ${it.leaked} of ${it.sent}`),
    ...cells.filter(({ control }) => control <= 0).map(({ probe }) => `${probe} was not seen without the guard`),
    ...cells.filter(({ sent }) => sent <= 0).map(({ probe }) => `${probe} was not sent`),
    ...Object.entries(findings).map(([what, count]) => `${count} × ${what}`),
  ];
  return wrong.map((what) => `fault ${fault} (${name}): ${what}`);
}
