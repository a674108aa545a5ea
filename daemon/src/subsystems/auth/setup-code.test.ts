import { expect, test } from "vitest";
import { openSetupCode } from "./setup-code.ts";

function inMemory(text?: string) {
  const kept = { text };
  const file = {
    read: () => kept.text,
    write: (fresh: string) => void (kept.text = fresh),
    remove: () => void (kept.text = undefined),
  };
  return { kept, file };
}

test("setup code: a setup code is made once, kept across restarts, and matched however it is typed", () => {
  const { kept, file } = inMemory();
  const first = openSetupCode({ file, isClaimed: () => false });
  const code = first.current()!;
  expect(code).toMatch(/^[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}$/);
  expect(kept.text).toBe(`${code}\n`);
  const second = openSetupCode({ file, isClaimed: () => false });
  const typed = [code, code.toLowerCase(), code.replaceAll("-", " "), ` ${code.replaceAll("-", "")}\n`];
  expect(typed.map(second.matches)).toEqual([true, true, true, true]);
  expect(second.matches(code.replaceAll("0", "o").replaceAll("1", "l"))).toBe(true);
  expect(["", "-", code.slice(1), `${code}0`, `0${code}`].map(second.matches)).toEqual(Array(5).fill(false));
});

test("setup code: no two gateways make the same setup code", () => {
  const codes = Array.from({ length: 200 }, () =>
    openSetupCode({ file: inMemory().file, isClaimed: () => false }).current(),
  );
  expect(new Set(codes).size).toBe(200);
});

test("setup code: a file with something else in it is replaced", () => {
  for (const text of ["", "\n", "0000", "ILOU-0000-0000"]) {
    const { kept, file } = inMemory(text);
    expect(openSetupCode({ file, isClaimed: () => false }).current()).not.toBe(text);
    expect(kept.text).toMatch(/^\S{14}\n$/);
  }
});

test("setup code: an admin voids the code for good, also one who is gone again", () => {
  const { kept, file } = inMemory();
  let claimed = false;
  const setup = openSetupCode({ file, isClaimed: () => claimed });
  const code = setup.current()!;
  expect(setup.matches(code)).toBe(true);
  claimed = true;
  expect([setup.matches(code), setup.current(), kept.text]).toEqual([false, undefined, undefined]);
  claimed = false;
  expect([setup.matches(code), setup.current()]).toEqual([false, undefined]);
});

test("setup code: a gateway that has an admin makes no code and removes an old one", () => {
  const { kept, file } = inMemory("7K3M-9QXT-2WVB\n");
  expect(openSetupCode({ file, isClaimed: () => true }).current()).toBeUndefined();
  expect(kept.text).toBeUndefined();
});
