import fc from "fast-check";
import { expect, test } from "vitest";
import { interfaceFor } from "./interface-name.ts";

const free = () => false;

test.each([
  ["wireguard", "Amsterdam", "wg-amsterdam"],
  ["openvpn", "Zürich (2)", "ov-zurich-2"],
  ["wireguard", "a name that is much too long", "wg-a-name-that"],
  ["wireguard", "日本", "wg-tunnel"],
  ["openvpn", "nl.example.com", "ov-nl-example-c"],
] as const)("interface names: %s %s becomes %s", (type, name, expected) =>
  expect(interfaceFor(type, name, free)).toBe(expected),
);

test("interface names: a name that is taken gets a number", () => {
  const taken = new Set(["wg-amsterdam", "wg-amsterdam-2", "wg-rotterdam-ha"]);
  const isTaken = (it: string) => taken.has(it);
  expect(interfaceFor("wireguard", "Amsterdam", isTaken)).toBe("wg-amsterdam-3");
  expect(interfaceFor("wireguard", "Rotterdam Harbour", isTaken)).toBe("wg-rotterdam-2");
});

test("interface names: whatever tunnels are called, the kernel takes the names and no two are the same", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme", maxLength: 30 }), { maxLength: 40 }), (names) => {
      const made = new Set<string>();
      for (const name of names) made.add(interfaceFor("wireguard", name, (it) => made.has(it)));
      expect(made.size).toBe(names.length);
      for (const name of made) expect(name).toMatch(/^[a-z0-9][a-z0-9._-]{0,14}$/);
    }),
  );
});
