/** Which key exchange the gateway's own TLS clients offer. */
export type PqMode = "default" | "preferred" | "required";

interface Offer {
  /** In order of preference; auto: what the TLS library offers. */
  readonly groups: string;
  readonly minVersion: "TLSv1.2" | "TLSv1.3";
}

const hybrid = "X25519MLKEM768:SecP256r1MLKEM768:SecP384r1MLKEM1024";
/** Those that the TLS library offers by itself: a server that it reaches by default is reached in the mode preferred, too. */
const classic = "X25519:P-256:X448:P-384:P-521:ffdhe2048:ffdhe3072";

/** TLS 1.2 has no post-quantum key exchange, and with a key of RSA it exchanges none at all. */
export const offers: Readonly<Record<PqMode, Offer>> = {
  default: { groups: "auto", minVersion: "TLSv1.2" },
  preferred: { groups: `${hybrid}:${classic}`, minVersion: "TLSv1.2" },
  required: { groups: hybrid, minVersion: "TLSv1.3" },
};
