/** The passphrase in its two locations at boot, and the mode. */
export interface Found {
  readonly stored: string | undefined;
  readonly file: string | undefined;
  /** off: the operator cleared the passphrase. user: the operator chose it. Nothing yet at first boot. */
  readonly mode: "generated" | "user" | "off" | undefined;
}

export type Reconciled =
  /** Both locations must contain this passphrase. */
  | { readonly kind: "ready"; readonly passphrase: string; readonly mode: "generated" | "user" }
  /** Secrets are stored in plain text; both locations must be empty. */
  | { readonly kind: "plain" }
  /** The operator's own passphrase is missing in both locations: only the operator can enter it again. */
  | { readonly kind: "locked" };

/**
 * One location is sufficient. If they differ, a rotation was interrupted: `opens` determines which passphrase decrypts the rows. The
 * stored one is tried first, because it changes in one transaction with the rows.
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
