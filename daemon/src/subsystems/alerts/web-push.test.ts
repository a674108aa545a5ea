import { createECDH, createPublicKey, verify } from "node:crypto";
import { expect, test } from "vitest";
import { authorization, encrypted, isPublicKey, newPushKey, publicPushKey } from "./web-push.ts";

test("web push: the example of RFC 8291, appendix A, is encrypted to the same bytes", () => {
  const sender = createECDH("prime256v1");
  sender.setPrivateKey("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw", "base64url");
  const keys = {
    p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    auth: "BTBZMqHH6r4Tts7J_aSIgg",
  };
  const salt = Buffer.from("DGv6ra1nlYgDCS1FRnbzlw", "base64url");
  const message = encrypted({ keys }, "When I grow up, I want to be a watermelon", { salt, sender });
  expect(message.toString("base64url")).toBe(
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A" +
      "_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
  );
});

test("web push: the authorization is signed for the push service with the key that browsers subscribe with", () => {
  const key = newPushKey();
  const nowMs = Date.parse("2026-01-31T12:00:00Z");
  const endpoint = "https://push.example:8443/send/abc";
  const header = authorization(key, { endpoint, nowMs, contact: "me@example.net" });
  const [, head, claims, signature, k] = /^vapid t=([^.]+)\.([^.]+)\.([^,]+), k=(.+)$/.exec(header)!;
  expect(k).toBe(publicPushKey(key));
  expect(JSON.parse(Buffer.from(claims!, "base64url").toString())).toEqual({
    aud: "https://push.example:8443",
    exp: nowMs / 1000 + 43_200,
    sub: "mailto:me@example.net",
  });
  const point = Buffer.from(k!, "base64url");
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((it) => it.toString("base64url"));
  const publicKey = createPublicKey({ format: "jwk", key: { kty: "EC", crv: "P-256", x: x!, y: y! } });
  const isSigned = (text: string) =>
    verify(
      "sha256",
      Buffer.from(text),
      { key: publicKey, dsaEncoding: "ieee-p1363" },
      Buffer.from(signature!, "base64url"),
    );
  expect([isSigned(`${head}.${claims}`), isSigned(`${head}.x${claims}`)]).toEqual([true, false]);
  expect(authorization(key, { endpoint, nowMs, contact: null })).not.toBe(header);
});

test("web push: a key that is no point of the curve is recognized", () => {
  expect([publicPushKey(newPushKey()), `B${"A".repeat(86)}`].map(isPublicKey)).toEqual([true, false]);
});
