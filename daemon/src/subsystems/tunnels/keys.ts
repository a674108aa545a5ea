import { createPrivateKey, createPublicKey, randomBytes } from "node:crypto";

/** A new private key with its public key. */
export function generateKeys(): { readonly private_key: string; readonly public_key: string } {
  const private_key = clamped(generateSecret());
  return { private_key, public_key: publicKeyOf(private_key) };
}

/** 32 random bytes, for a pre-shared key. */
export const generateSecret = (): string => randomBytes(32).toString("base64");

/**
 * The canonical form of a private key (RFC 7748, section 5): five bits have no meaning, and the kernel returns the key with
 * them cleared or set. Otherwise the returned key would look like a foreign change.
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

/** The PKCS #8 header of an X25519 key (RFC 8410). */
const x25519Header = Buffer.from("302e020100300506032b656e04220420", "hex");
