import { describe, expect, test } from "vitest";
import { hashPassword, isPassword } from "./password.ts";

test("passwords: a hash is a PHC string of argon2id with OWASP's cost and a new salt", async () => {
  const [one, other] = await Promise.all([hashPassword("correct horse"), hashPassword("correct horse")]);
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  expect(one).not.toBe(other);
  expect(await Promise.all([isPassword("correct horse", one), isPassword("correct horse", other)])).toEqual([
    true,
    true,
  ]);
});

test.each(["wrong horse", "correct horse ", "Correct horse", "", "correct"])(
  "passwords: %j is another password",
  async (guess) => expect(await isPassword(guess, await hashPassword("correct horse"))).toBe(false),
);

test("passwords: letters beyond ASCII and very long passwords count to the last sign", async () => {
  const long = `${"pässwörd ".repeat(100)}🏰`;
  const hashed = await hashPassword(long);
  expect([await isPassword(long, hashed), await isPassword(long.slice(0, -2), hashed)]).toEqual([true, false]);
});

/** Vectors of the reference implementation, github.com/P-H-C/phc-winner-argon2, src/test.c. */
describe("passwords: hashes of the reference implementation are recognised", () => {
  test.each([
    ["password", "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"],
    ["password", "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"],
    ["password", "$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc"],
    ["differentpassword", "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$C4TWUs9rDEvq7w3+J4umqA32aWKB1+DSiRuBfYxFj94"],
    ["password", "$argon2id$v=19$m=65536,t=2,p=1$ZGlmZnNhbHQ$vfMrBczELrFdWP0ZsfhWsRPaHppYdP3MVEMIVlqoFBw"],
  ])("%s in %s", async (password, phc) =>
    expect([await isPassword(password, phc), await isPassword(`${password}x`, phc)]).toEqual([true, false]),
  );
});

test.each([
  "",
  "correct horse",
  "$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA",
  "$argon2id$v=16$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
  "$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW",
])("passwords: %j is no hash of ours, and no password opens it", async (phc) =>
  expect(await isPassword("password", phc)).toBe(false),
);
