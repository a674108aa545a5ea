/** What the two places that keep the passphrase say at boot, and what is known besides. */
export interface Found {
  readonly stored: string | undefined;
  readonly file: string | undefined;
  /** off: the operator cleared the passphrase. user: the operator chose it. Nothing yet at first boot. */
  readonly mode: "generated" | "user" | "off" | undefined;
}

export type Reconciled =
  /** Both places shall hold this passphrase. */
  | { readonly kind: "ready"; readonly passphrase: string; readonly mode: "generated" | "user" }
  /** Secrets are kept in plain text; neither place shall hold anything. */
  | { readonly kind: "plain" }
  /** The operator's own passphrase is gone from both places: only the operator can bring it back. */
  | { readonly kind: "locked" };

/**
 * Either place suffices. Where both speak and differ, a rotation was cut off between them: `opens` tells
 * which one the rows obey. The stored one is tried first, since it changes in one transaction with the rows.
 */
export async function reconcile(
  { stored, file, mode }: Found,
  opens: (passphrase: string) => Promise<boolean>,
  generate: () => string,
): Promise<Reconciled> {
  if (mode === "off") return { kind: "plain" };
  const known = [stored, file].filter((it) => it !== undefined && it !== "");
  const [first, second] = known;
  if (first === undefined)
    return mode === "user" ? { kind: "locked" } : { kind: "ready", passphrase: generate(), mode: "generated" };
  const chosen =
    second !== undefined && second !== first && !(await opens(first)) && (await opens(second)) ? second : first;
  return { kind: "ready", passphrase: chosen, mode: mode ?? "generated" };
}
