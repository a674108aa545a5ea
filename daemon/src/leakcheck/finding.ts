import { explainedAs, type Reason, valueAs } from "@portcullis/contract/reason";
import type { LeakCause, LeakFinding } from "@portcullis/contract/subsystems/privacy";
import type { Origin, Subject } from "./subjects.ts";

export type Evidence = LeakFinding["evidence"][number];

export const evidence = (what: Reason, expected: Reason, found: Reason): Evidence => ({
  ...explainedAs("what", what),
  ...valueAs("expected", expected),
  ...valueAs("found", found),
});

/** A deviation, and the devices it applies to. */
export interface Finding {
  readonly cause: LeakCause;
  readonly message: Reason;
  /** Distinguishes findings with the same cause and message. */
  readonly of?: string;
  readonly evidence: readonly Evidence[];
  /** By default a leak for a device that was seen outside, and a risk for the others. */
  readonly severity?: LeakFinding["severity"];
  readonly appliesTo: (subject: Subject) => boolean;
  /** It is reported for the gateway as well. */
  readonly isOfGateway?: true;
}

/** For findings about a protection as a whole. */
export const isProtected = ({ posture }: Subject): boolean => posture !== "exposed";

export const anyOrigin =
  (matches: (origin: Origin, subject: Subject) => boolean) =>
  (subject: Subject): boolean =>
    subject.origins.some((origin) => origin.posture !== "exposed" && matches(origin, subject));
