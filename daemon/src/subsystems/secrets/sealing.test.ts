import { execFileSync } from "node:child_process";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { announceSeed } from "../../../../testing/seed.ts";
import { unseal } from "../../../../testing/state.ts";
import { createSealer, Undecipherable } from "./sealing.ts";

announceSeed("sealing");

const passphrase = "correct horse battery staple";
/** Made by testing/sealing-vector.py: salt 00…0f, nonce 10…1b. */
const golden = {
  value: "ключ 🔑 to the gate",
  sealed: "enc:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaG+cJI024N8dztxrQ66xDLV7eXqXqAU6F5hBjlI+s3O4v2kzBlsa13M4x",
};
const sealer = createSealer(passphrase);

describe("sealing: the form is the one anybody can open", () => {
  test("what OpenSSL once sealed still opens", async () => expect(await sealer.open(golden.sealed)).toBe(golden.value));

  test("a sealed value decrypts with the specified algorithm", async () =>
    expect(await unseal(passphrase, await sealer.seal(golden.value))).toBe(golden.value));

  const script = join(import.meta.dirname, "../../../../testing/sealing-vector.py");
  const vector = (...words: string[]) => execFileSync("python3", [script, ...words], { encoding: "utf8" });
  const hasOpenssl = (() => {
    try {
      return vector("open", passphrase, golden.sealed) === golden.value;
    } catch {
      return false; // No python3, no openssl program, or one that is too old to know kdf.
    }
  })();

  const exchanged = async (value: string) => ({
    byOpenssl: vector("open", passphrase, await sealer.seal(value)),
    byUs: await sealer.open(vector("seal", passphrase, value)),
  });

  test.skipIf(!hasOpenssl)("OpenSSL opens what we seal, and we open what it seals", async () =>
    expect(await exchanged(golden.value)).toEqual({ byOpenssl: golden.value, byUs: golden.value }),
  );

  test.skipIf(!hasOpenssl)("values of other lengths are exchanged with OpenSSL too", { tags: "proof" }, async () => {
    for (const value of ["", "x", "y".repeat(5000)])
      expect(await exchanged(value)).toEqual({ byOpenssl: value, byUs: value });
  });
});

describe("sealing: a round trip", () => {
  test("gives back a text, also to a sealer that has to derive the key itself", async () => {
    for (const value of ["", golden.value]) {
      const sealed = await sealer.seal(value);
      expect(await createSealer(passphrase).open(sealed)).toBe(value);
    }
  });

  test("works under a passphrase beyond ASCII", async () =>
    expect(await createSealer("пароль 🔑").open(await createSealer("пароль 🔑").seal("value"))).toBe("value"));

  test("gives back any text", { tags: "proof" }, () =>
    fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", maxLength: 2000 }), async (value) => {
        const sealed = await sealer.seal(value);
        expect(await createSealer(passphrase).open(sealed)).toBe(value);
      }),
      { numRuns: 25 },
    ),
  );

  test("works under any passphrase", { tags: "proof" }, () =>
    fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", minLength: 8, maxLength: 200 }), async (words) => {
        expect(await createSealer(words).open(await createSealer(words).seal("value"))).toBe("value");
      }),
      { numRuns: 20 },
    ),
  );

  test("has a salt and a nonce of its own each time, so equal values look different", async () => {
    const sealed = await Promise.all(Array.from({ length: 8 }, () => sealer.seal("the same")));
    const bytes = sealed.map((it) => Buffer.from(it.slice(4), "base64"));
    expect(bytes.every((it) => it.length === 16 + 12 + "the same".length + 16)).toBe(true);
    for (const [from, to] of [
      [0, 16],
      [16, 28],
      [28, undefined],
    ] as const)
      expect(new Set(bytes.map((it) => it.subarray(from, to).toString("hex"))).size).toBe(8);
  });
});

describe("sealing: what does not open", () => {
  const bytes = Buffer.from(golden.sealed.slice(4), "base64");
  const text = (it: Buffer) => `enc:${it.toString("base64")}`;

  /** Which of these values open; anything but a plain refusal is a bug. */
  async function opening(values: readonly string[], by = sealer): Promise<string[]> {
    const outcomes = await Promise.allSettled(values.map((it) => by.open(it)));
    const bug = outcomes.find((it) => it.status === "rejected" && !(it.reason instanceof Undecipherable));
    if (bug) throw (bug as PromiseRejectedResult).reason;
    return values.filter((_, index) => outcomes[index]!.status === "fulfilled");
  }

  test("the control: what is whole does open", async () =>
    expect(await opening([golden.sealed, "nonsense"])).toEqual([golden.sealed]));

  test("anything, under another passphrase", async () => {
    for (const other of ["", "correct horse battery stapl", "correct horse battery staple ", passphrase.toUpperCase()])
      expect(await opening([golden.sealed], createSealer(other))).toEqual([]);
  });

  const flipped = (index: number, bit: number) => {
    const copy = Buffer.from(bytes);
    copy[index]! ^= 1 << bit;
    return text(copy);
  };
  const regions: [string, number, number][] = [
    ["salt", 0, 16],
    ["nonce", 16, 28],
    ["ciphertext", 28, bytes.length - 16],
    ["tag", bytes.length - 16, bytes.length],
  ];
  test.each(regions)("a value with one bit of its %s flipped", async (region, from, to) => {
    const places = Array.from({ length: to - from }, (_, index) => from + index);
    // Each other salt costs the derivation of a key: one bit of each byte has to do there.
    const bits = region === "salt" ? [3] : [0, 1, 2, 3, 4, 5, 6, 7];
    expect(await opening(places.flatMap((index) => bits.map((bit) => flipped(index, bit))))).toEqual([]);
  });

  test("a value cut short anywhere, or with something added", async () => {
    const shorter = Array.from(bytes, (_, length) => text(bytes.subarray(0, length)));
    expect(await opening([...shorter, text(Buffer.concat([bytes, Buffer.from([0])]))])).toEqual([]);
  });

  const { sealed } = golden;
  test.each([
    ["nothing at all", ""],
    ["a prefix alone", "enc:"],
    ["plain text", "a value that was not sealed, long enough to look like one"],
    ["another prefix", sealed.replace("enc:", "ENC:")],
    ["no base64", `enc:${"!".repeat(100)}`],
    ["a stray character", sealed.replace("AAEC", "AA*EC")],
    ["a line break", `${sealed}\n`],
    ["the alphabet of URLs", sealed.replaceAll("+", "-").replaceAll("/", "_")],
    ["something after the end", `${sealed}=`],
  ])("%s instead of base64", async (_, damaged) => expect(await opening([damaged])).toEqual([]));

  test("arbitrary text", () =>
    fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary" }), async (any) => {
        expect(await opening([any, `enc:${any}`])).toEqual([]);
      }),
      { numRuns: 200 },
    ));
});
