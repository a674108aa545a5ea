import { createCipheriv, createDecipheriv, createHash, pbkdf2, randomBytes } from "node:crypto";
import { promisify } from "node:util";

const derive = promisify(pbkdf2);

/** The stored form: `enc:` + base64(salt 16, nonce 12, ciphertext with tag). */
const prefix = "enc:";
const saltBytes = 16;
const nonceBytes = 12;
const tagBytes = 16;
const iterations = 100_000;

/** A value that this passphrase does not decrypt: another passphrase, or corrupt data. */
export class Undecipherable extends Error {}

/** Encrypts and decrypts with one passphrase. Each value has its own salt; derived keys are cached. */
export interface Sealer {
  seal(value: string): Promise<string>;
  open(sealed: string): Promise<string>;
  /** Equal for equal passphrase and salt. Guessing the passphrase from it costs as much as from a sealed value. */
  fingerprint(salt: Buffer): Promise<string>;
}

const keysKept = 20_000;

export function createSealer(passphrase: string): Sealer {
  const keys = new Map<string, Buffer>();

  async function keyFor(salt: Buffer): Promise<Buffer> {
    const name = salt.toString("base64");
    const known = keys.get(name);
    if (known) return known;
    const key = await derive(passphrase, salt, iterations, 32, "sha256");
    if (keys.size >= keysKept) keys.delete(keys.keys().next().value!);
    keys.set(name, key);
    return key;
  }
  return {
    fingerprint: async (salt) =>
      createHash("sha256")
        .update(await keyFor(salt))
        .digest("hex"),
    seal: async (value) => {
      const salt = randomBytes(saltBytes);
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv("aes-256-gcm", await keyFor(salt), nonce);
      const parts = [salt, nonce, cipher.update(value, "utf8"), cipher.final(), cipher.getAuthTag()];
      return prefix + Buffer.concat(parts).toString("base64");
    },
    open: async (sealed) => {
      const { salt, nonce, ciphertext, tag } = take(sealed);
      const decipher = createDecipheriv("aes-256-gcm", await keyFor(salt), nonce, { authTagLength: tagBytes });
      decipher.setAuthTag(tag);
      try {
        return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString("utf8");
      } catch (cause) {
        throw new Undecipherable("The passphrase does not decrypt the value", { cause });
      }
    },
  };
}

function take(sealed: string): { salt: Buffer; nonce: Buffer; ciphertext: Buffer; tag: Buffer } {
  const text = sealed.slice(prefix.length);
  const bytes = Buffer.from(text, "base64");
  // Buffer ignores invalid base64; a value that is not in our exact form is corrupt.
  const isOurs = sealed.startsWith(prefix) && bytes.toString("base64") === text;
  if (!isOurs || bytes.length < saltBytes + nonceBytes + tagBytes)
    throw new Undecipherable("The value is not in sealed form");
  return {
    salt: bytes.subarray(0, saltBytes),
    nonce: bytes.subarray(saltBytes, saltBytes + nonceBytes),
    ciphertext: bytes.subarray(saltBytes + nonceBytes, -tagBytes),
    tag: bytes.subarray(-tagBytes),
  };
}
