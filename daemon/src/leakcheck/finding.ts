import type { LeakCause, LeakFinding } from "@portcullis/contract/subsystems/privacy";
import type { Origin, Subject } from "./subjects.ts";

export type Evidence = LeakFinding["evidence"][number];

/** Something that is not as it should be, and whose packets it concerns. */
export interface Found {
  readonly cause: LeakCause;
  readonly message: string;
  /** Whose it is, where the same can be said of several. */
  readonly of?: string;
  readonly evidence: readonly Evidence[];
  /** Without it, it is a leak for whoever was seen outside, and a risk for the others. */
  readonly severity?: LeakFinding["severity"];
  readonly concerns: (subject: Subject) => boolean;
  /** It concerns nobody in particular. */
  readonly isOfGateway?: true;
}

/** Whatever protects a device concerns those that are protected. */
export const everybodyProtected = ({ posture }: Subject): boolean => posture !== "exposed";

export const whose =
  (isMeant: (origin: Origin, subject: Subject) => boolean) =>
  (subject: Subject): boolean =>
    subject.origins.some((origin) => origin.posture !== "exposed" && isMeant(origin, subject));
