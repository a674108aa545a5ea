import { expect, test } from "vitest";
import { clamped, generateKeys, generateSecret, publicKeyOf } from "./keys.ts";

test("WireGuard keys: the public key is equal to the output of wg pubkey", () => {
  const key = "kFAmPDpYEkAY1ztAYSRstY8RJ7qIt86RRgNjibPL/WY=";
  expect(publicKeyOf(key)).toBe("537EbHp8dMVTbE+z0jhdpXx+PWH3a82FPv/xpwmSYXQ=");
  const spelledOtherwise = "l1AmPDpYEkAY1ztAYSRstY8RJ7qIt86RRgNjibPL/eY=";
  expect(clamped(spelledOtherwise)).toBe(key);
  expect(publicKeyOf(spelledOtherwise)).toBe(publicKeyOf(key));
});

test("WireGuard keys: generated keys belong together, are clamped, and no two are the same", () => {
  const [one, other] = [generateKeys(), generateKeys()];
  expect(publicKeyOf(one.private_key)).toBe(one.public_key);
  expect(clamped(one.private_key)).toBe(one.private_key);
  expect(one.private_key).not.toBe(other.private_key);
  expect(generateSecret()).not.toBe(generateSecret());
  expect(Buffer.from(generateSecret(), "base64")).toHaveLength(32);
});
