import { createHmac } from "node:crypto";
import fc from "fast-check";
import { jwtVerify, SignJWT } from "jose";
import { describe, expect, test } from "vitest";
import { announceSeed } from "../../../../testing/seed.ts";
import { type Claims, readToken, signToken } from "./jwt.ts";

announceSeed("jwt");

const key = "RiV9XRkxYpzbN3T1aSvQeXnLwB0Jq6tPZKf4mUyHcOE";
const nowSec = 1_790_000_000;
const claims: Claims = { sub: "ada", jti: "01890000-0000-7000-8000-000000000000", iat: nowSec, exp: nowSec + 60 };
const bytes = (text: string) => new TextEncoder().encode(text);
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

test("JWT: what is signed is read back", () => {
  expect(readToken(signToken(claims, key), key, nowSec)).toEqual(claims);
});

test("JWT: every username is the same after signing and reading", () =>
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.string({ minLength: 1 }), (sub, anyKey) => {
      expect(readToken(signToken({ ...claims, sub }, anyKey), anyKey, nowSec)).toEqual({ ...claims, sub });
    }),
  ));

describe("JWT: another library agrees", () => {
  test("it verifies a token of ours", async () => {
    const { payload, protectedHeader } = await jwtVerify(signToken(claims, key), bytes(key), {
      algorithms: ["HS256"],
      currentDate: new Date(nowSec * 1000),
    });
    expect([payload, protectedHeader]).toEqual([claims, { alg: "HS256", typ: "JWT" }]);
  });

  test("it refuses a token of ours under another key, and after its end", async () => {
    const token = signToken(claims, key);
    const currentDate = new Date(nowSec * 1000);
    await expect(jwtVerify(token, bytes(`${key}x`), { currentDate })).rejects.toThrow("signature verification failed");
    const late = new Date((nowSec + 61) * 1000);
    await expect(jwtVerify(token, bytes(key), { currentDate: late })).rejects.toThrow("exp");
  });

  test("we read a token of its making", async () => {
    const token = await new SignJWT({ ...claims }).setProtectedHeader({ alg: "HS256", typ: "JWT" }).sign(bytes(key));
    expect(readToken(token, key, nowSec)).toEqual(claims);
    expect(readToken(token, `${key}x`, nowSec)).toBeUndefined();
  });

  test.each(["HS384", "HS512"])("we refuse a token of its making under %s", async (alg) => {
    const long = key.repeat(2);
    const token = await new SignJWT({ ...claims }).setProtectedHeader({ alg, typ: "JWT" }).sign(bytes(long));
    expect(readToken(token, long, nowSec)).toBeUndefined();
    expect(readToken(signToken(claims, long), long, nowSec)).toEqual(claims);
  });
});

test("JWT: a token ends on the second it says", () => {
  const token = signToken(claims, key);
  expect([59, 60, 61].map((later) => readToken(token, key, nowSec + later) !== undefined)).toEqual([
    true,
    false,
    false,
  ]);
});

describe("JWT: without our signature a token is worth nothing", () => {
  const [head, body, mark] = signToken(claims, key).split(".") as [string, string, string];
  const signed = (text: string) => `${text}.${createHmac("sha256", key).update(text).digest("base64url")}`;

  test.each<[string, string]>([
    ["algorithm none", `${part({ alg: "none", typ: "JWT" })}.${body}.`],
    ["algorithm none with our mark", `${part({ alg: "none" })}.${body}.${mark}`],
    ["a head of another making, though signed", signed(`${part({ alg: "none", typ: "JWT" })}.${body}`)],
    ["a key that came along, though signed", signed(`${part({ alg: "HS256", typ: "JWT", jwk: {} })}.${body}`)],
    ["other claims", `${head}.${part({ ...claims, sub: "eve" })}.${mark}`],
    ["no mark", `${head}.${body}`],
    ["an empty mark", `${head}.${body}.`],
    ["a part too many", `${head}.${body}.${mark}.${mark}`],
    ["the mark of another key", signToken(claims, "another key")],
    ["padding", `${head}.${body}.${mark}=`],
    ["nothing", ""],
    ["dots", ".."],
  ])("%s", (_, token) => expect(readToken(token, key, nowSec)).toBeUndefined());

  test("one sign changed anywhere", () =>
    fc.assert(
      fc.property(fc.nat(), fc.string({ minLength: 1, maxLength: 1 }), (at, sign) => {
        const token = `${head}.${body}.${mark}`;
        const place = at % token.length;
        const changed = token.slice(0, place) + sign + token.slice(place + 1);
        fc.pre(changed !== token);
        expect(readToken(changed, key, nowSec)).toBeUndefined();
      }),
      { numRuns: 500 },
    ));

  test("any text at all", () =>
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(readToken(text, key, nowSec)).toBeUndefined();
      }),
    ));
});
