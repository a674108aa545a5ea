import { createHash, type X509Certificate } from "node:crypto";

/** The certificate of a TLS server, and what the client knows about it. */
export interface TlsServer {
  /** Whether a certificate authority of this system signed the certificate for this name. */
  readonly isVerified: boolean;
  readonly pin: string;
  /** The pin that was accepted for this gateway before. */
  readonly pinned: string | undefined;
  /** Whether the request contains a credential, which a wrong gateway must not get. */
  readonly hasCredential: boolean;
}

export type Trust =
  | { readonly kind: "accept" }
  | { readonly kind: "pin" }
  | { readonly kind: "unknown" }
  | { readonly kind: "changed" };

/**
 * A gateway has a self-signed certificate. Its key is pinned on first use. The first request never contains a credential
 * unless the user has compared the pin: otherwise an attacker who answers first would get it.
 */
export function decideTrust({ isVerified, pin, pinned, hasCredential }: TlsServer): Trust {
  if (pinned !== undefined) return pin === pinned ? { kind: "accept" } : { kind: "changed" };
  if (isVerified) return { kind: "accept" };
  return hasCredential ? { kind: "unknown" } : { kind: "pin" };
}

/** `sha256:…` of the public key: a renewed certificate with the same key has the same pin. */
export const pinOf = ({ publicKey }: X509Certificate): string =>
  `sha256:${createHash("sha256")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest("base64")}`;
