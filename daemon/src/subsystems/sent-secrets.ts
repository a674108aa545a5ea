/** The change of a resource's secret. */
export type SecretChange =
  | { readonly kind: "keep" }
  | { readonly kind: "forget" }
  /** Deleted because its destination changed, which is audited. */
  | { readonly kind: "discard"; readonly details?: Readonly<Record<string, unknown>> }
  | { readonly kind: "seal"; readonly value: string; readonly details?: Readonly<Record<string, unknown>> };

/** A secret and its destination, before and after a request. */
interface Sent {
  /** The secret in the request: absent keeps it, null removes it. */
  readonly requested: string | null | undefined;
  readonly isStored: boolean;
  /** The destination before and after: equal texts mean the same server with the same verification. */
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
 * A stored secret is sent only to the destination it was given for. Otherwise a caller who may change the destination could
 * read the secret there; so a request that changes it without giving the secret again discards the secret.
 */
export function secretAfter({ requested, isStored, before, after }: Sent): Outcome {
  if (requested === null) return { change: { kind: "forget" }, isStored: false, isDiscarded: false };
  if (requested !== undefined)
    return { change: { kind: "seal", value: requested }, isStored: true, isDiscarded: false };
  if (isStored && before !== after) return { change: { kind: "discard" }, isStored: false, isDiscarded: true };
  return { change: { kind: "keep" }, isStored, isDiscarded: false };
}

/** Added to the response and the audit entry. */
export const discardedPassword = { discarded_secrets: ["password"] };

/** The refusal of a username whose password was discarded. */
export const neededAgain = "is needed again: a stored password is not sent to another destination";
