/** What shall become of a resource's secret. */
export type SecretChange =
  | { readonly kind: "keep" }
  | { readonly kind: "forget" }
  /** Forgotten because the place it is sent to changed, which the audit log tells. */
  | { readonly kind: "discard" }
  | { readonly kind: "seal"; readonly value: string; readonly details?: Readonly<Record<string, unknown>> };

/** A secret that is sent to a destination stored beside it, before and after a request. */
interface Sent {
  /** What the request says of the secret: absent keeps it, null removes it. */
  readonly requested: string | null | undefined;
  readonly isStored: boolean;
  /** The destination before and after: two equal texts are the same server, checked in the same way. */
  readonly before: string;
  readonly after: string;
}

interface Outcome {
  readonly change: SecretChange;
  readonly isStored: boolean;
  /** Whether a stored secret was dropped because its destination changed. */
  readonly isDiscarded: boolean;
}

/**
 * A stored secret is sent only to the destination it was given for. Who may change the destination could otherwise read
 * the secret there, so a request that changes it without giving the secret again leaves none.
 */
export function secretAfter({ requested, isStored, before, after }: Sent): Outcome {
  if (requested === null) return { change: { kind: "forget" }, isStored: false, isDiscarded: false };
  if (requested !== undefined)
    return { change: { kind: "seal", value: requested }, isStored: true, isDiscarded: false };
  if (isStored && before !== after) return { change: { kind: "discard" }, isStored: false, isDiscarded: true };
  return { change: { kind: "keep" }, isStored, isDiscarded: false };
}

/** What an answer and its audit entry tell of it. */
export const discardedPassword = { discarded_secrets: ["password"] };

/** The refusal of a user name whose password was just discarded. */
export const neededAgain = "is needed again: a stored password is not sent to another destination";
