import { createPrivateKey, createPublicKey, randomBytes } from "node:crypto";

/** A fresh private key, with the public key that follows from it. */
export function generateKeys(): { readonly private_key: string; readonly public_key: string } {
  const private_key = clamped(generateSecret());
  return { private_key, public_key: publicKeyOf(private_key) };
}

/** 32 random bytes: as good as any pre-shared key. */
export const generateSecret = (): string => randomBytes(32).toString("base64");

/**
 * The one spelling of a private key (RFC 7748, section 5): five bits have no meaning, and the kernel answers with them
 * cleared. A key that came back different would look as if somebody had changed it.
 */
export function clamped(privateKey: string): string {
  const bytes = Buffer.from(privateKey, "base64");
  bytes[0]! &= 248;
  bytes[31] = (bytes[31]! & 127) | 64;
  return bytes.toString("base64");
}

export function publicKeyOf(privateKey: string): string {
  const der = Buffer.concat([x25519Header, Buffer.from(privateKey, "base64")]);
  const { x = "" } = createPublicKey(createPrivateKey({ key: der, format: "der", type: "pkcs8" })).export({
    format: "jwk",
  });
  return Buffer.from(x, "base64url").toString("base64");
}

/** What stands before the 32 bytes of an X25519 key in PKCS #8 (RFC 8410). */
const x25519Header = Buffer.from("302e020100300506032b656e04220420", "hex");
