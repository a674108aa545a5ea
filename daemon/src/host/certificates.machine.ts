/** A certificate that the gateway has, or has seen. */
export interface HeldCertificate {
  /** Its fingerprint. */
  readonly id: string;
  readonly subject: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

export type CertificateState = "valid" | "expiring" | "expired" | "not-yet-valid";

const criticalMs = 14 * 86_400_000;

export function certificateState({ fromMs, untilMs }: HeldCertificate, nowMs: number): CertificateState {
  if (nowMs >= untilMs) return "expired";
  if (nowMs < fromMs) return "not-yet-valid";
  return untilMs - nowMs <= criticalMs ? "expiring" : "valid";
}

/** Without those that another of the same file replaces: files of providers contain an old and a new authority of one name. */
export const withoutReplaced = <C extends HeldCertificate>(file: readonly C[]): readonly C[] =>
  file.filter((it) => !file.some((other) => other.subject === it.subject && other.untilMs > it.untilMs));
