import { createHmac, timingSafeEqual } from "node:crypto";

/** The claims of a session token. */
export interface Claims {
  /** Username. */
  readonly sub: string;
  /** Session id: a token without its session is invalid. */
  readonly jti: string;
  readonly iat: number;
  readonly exp: number;
}

const header = Buffer.from(JSON.stringify({ alg: "HS256", typ: "JWT" })).toString("base64url");

/** A JSON Web Token (RFC 7519) with HMAC-SHA256, the only supported algorithm. */
export function signToken(claims: Claims, key: string): string {
  const signed = `${header}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}`;
  return `${signed}.${signature(signed, key)}`;
}

/** The claims of a token with a valid signature that has not expired; undefined otherwise. */
export function readToken(token: string, key: string, nowSec: number): Claims | undefined {
  const [head, body, mark, ...more] = token.split(".");
  if (head !== header || body === undefined || mark === undefined || more.length > 0) return undefined;
  const wanted = Buffer.from(signature(`${head}.${body}`, key));
  const given = Buffer.from(mark);
  if (wanted.length !== given.length || !timingSafeEqual(wanted, given)) return undefined;
  const claims = JSON.parse(Buffer.from(body, "base64url").toString()) as Claims;
  return claims.exp > nowSec ? claims : undefined;
}

const signature = (text: string, key: string): string => createHmac("sha256", key).update(text).digest("base64url");
