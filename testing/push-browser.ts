import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from "node:crypto";

/**
 * A browser with a subscription, in the place of a real one: a real one needs the push service of its vendor. It decrypts as
 * RFC 8291 and RFC 8188 define, and checks the authorization as a push service does (RFC 8292).
 */
export function openBrowser(endpoint: string, applicationServerKey: string) {
  const pair = createECDH("prime256v1");
  const publicKey = pair.generateKeys();
  const auth = randomBytes(16);
  return {
    subscription: { endpoint, keys: { p256dh: publicKey.toString("base64url"), auth: auth.toString("base64url") } },
    /** The text of a message; an error if it was not made for this browser. */
    read: (message: Buffer): string => {
      const salt = message.subarray(0, 16);
      const sender = message.subarray(21, 21 + message[20]!);
      const sealed = message.subarray(21 + sender.length);
      if (message.readUInt32BE(16) < sealed.length) throw new Error("The message is more than one record");
      const info = Buffer.concat([Buffer.from("WebPush: info\0"), publicKey, sender]);
      const secret = Buffer.from(hkdfSync("sha256", pair.computeSecret(sender), auth, info, 32));
      const part = (name: string, bytes: number) =>
        Buffer.from(hkdfSync("sha256", secret, salt, Buffer.from(`Content-Encoding: ${name}\0`), bytes));
      const decipher = createDecipheriv("aes-128-gcm", part("aes128gcm", 16), part("nonce", 12));
      decipher.setAuthTag(sealed.subarray(-16));
      const record = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
      const end = record.lastIndexOf(2);
      if (end === -1 || record.subarray(end + 1).some((it) => it !== 0)) throw new Error("It is not the last record");
      return record.toString("utf8", 0, end);
    },
    /** The claims of a request that this push service accepts. */
    claimsOf: (authorization: string): { readonly aud: string; readonly exp: number; readonly sub?: string } => {
      const [, head, claims, signature, key] = /^vapid t=([^.]+)\.([^.]+)\.([^,]+), k=(.+)$/.exec(authorization) ?? [];
      if (key !== applicationServerKey) throw new Error("It is not the key of the subscription");
      const point = Buffer.from(key, "base64url");
      const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((it) => it.toString("base64url"));
      const signer = createPublicKey({ format: "jwk", key: { kty: "EC", crv: "P-256", x: x!, y: y! } });
      const signed = Buffer.from(`${head}.${claims}`);
      if (!verify("sha256", signed, { key: signer, dsaEncoding: "ieee-p1363" }, Buffer.from(signature!, "base64url")))
        throw new Error("The signature is wrong");
      return JSON.parse(Buffer.from(claims!, "base64url").toString());
    },
  };
}
