import { createCipheriv, createECDH, createPrivateKey, type ECDH, hkdfSync, randomBytes, sign } from "node:crypto";

/** Where a browser receives messages, and its keys, in base64url. */
export interface Subscription {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
}

interface Encryption {
  readonly salt: Buffer;
  /** A key pair that is used for this message only. */
  readonly sender: ECDH;
}

const curve = "prime256v1";

/** A message that only this browser can read (RFC 8291), as one record of the encoding aes128gcm (RFC 8188). */
export function encrypted(
  { keys }: Pick<Subscription, "keys">,
  text: string,
  { salt, sender }: Encryption = fresh(),
): Buffer {
  const receiver = Buffer.from(keys.p256dh, "base64url");
  const own = sender.getPublicKey();
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), receiver, own]);
  const key = derived(sender.computeSecret(receiver), Buffer.from(keys.auth, "base64url"), info, 32);
  const cipher = createCipheriv(
    "aes-128-gcm",
    derived(key, salt, Buffer.from("Content-Encoding: aes128gcm\0"), 16),
    derived(key, salt, Buffer.from("Content-Encoding: nonce\0"), 12),
  );
  const record = Buffer.concat([Buffer.from(text), endOfLastRecord]);
  if (record.length + tagBytes > recordBytes) throw new Error("the message is too long for a push service");
  const size = Buffer.alloc(4);
  size.writeUInt32BE(recordBytes);
  const sealed = Buffer.concat([cipher.update(record), cipher.final(), cipher.getAuthTag()]);
  return Buffer.concat([salt, size, Buffer.from([own.length]), own, sealed]);
}

/** A private key for `authorization`, in base64url. */
export function newPushKey(): string {
  const pair = createECDH(curve);
  pair.generateKeys();
  // Leading zeros are left out of the key by some versions of the library.
  return Buffer.concat([Buffer.alloc(32), pair.getPrivateKey()])
    .subarray(-32)
    .toString("base64url");
}

/** What browsers subscribe with: then the push service accepts messages of this gateway only. */
export const publicPushKey = (privateKey: string): string => pairOf(privateKey).getPublicKey("base64url");

interface Authorized {
  readonly endpoint: string;
  readonly nowMs: number;
  /** Whom the push service can ask about the messages; null: it is not given. */
  readonly contact: string | null;
}

/** The header of a request to the push service (RFC 8292). */
export function authorization(privateKey: string, { endpoint, nowMs, contact }: Authorized): string {
  const claims = {
    aud: new URL(endpoint).origin,
    exp: Math.floor(nowMs / 1000) + lifetimeSec,
    ...(contact !== null && { sub: `mailto:${contact}` }),
  };
  const point = pairOf(privateKey).getPublicKey();
  const jwk = {
    kty: "EC",
    crv: "P-256",
    d: privateKey,
    x: point.subarray(1, 33).toString("base64url"),
    y: point.subarray(33).toString("base64url"),
  };
  const signed = [{ typ: "JWT", alg: "ES256" }, claims].map(encoded).join(".");
  const key = createPrivateKey({ format: "jwk", key: jwk });
  const signature = sign("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" });
  return `vapid t=${signed}.${signature.toString("base64url")}, k=${point.toString("base64url")}`;
}

/** Whether a browser can have such a key. */
export function isPublicKey(p256dh: string): boolean {
  try {
    fresh().sender.computeSecret(Buffer.from(p256dh, "base64url"));
    return true;
  } catch {
    return false; // The point is not on the curve.
  }
}

const endOfLastRecord = Buffer.from([2]);
const tagBytes = 16;
/** What every push service accepts. */
const recordBytes = 4096;
/** At most a day; a clock that is some hours wrong is no failure. */
const lifetimeSec = 12 * 3600;

function fresh(): Encryption {
  const sender = createECDH(curve);
  sender.generateKeys();
  return { salt: randomBytes(16), sender };
}

function pairOf(privateKey: string): ECDH {
  const pair = createECDH(curve);
  pair.setPrivateKey(privateKey, "base64url");
  return pair;
}

const derived = (key: Buffer, salt: Buffer, info: Buffer, bytes: number): Buffer =>
  Buffer.from(hkdfSync("sha256", key, salt, info, bytes));

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
