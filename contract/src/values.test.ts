import { readFileSync } from "node:fs";
import { join } from "node:path";
import Type, { type TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { expect, test } from "vitest";
import {
  Digest,
  MacAddress,
  Name,
  named,
  Nullable,
  OneOf,
  Reference,
  ReferenceOrName,
  referenceFields,
} from "./values.ts";
import { version } from "./version.ts";

const root = join(import.meta.dirname, "../..");
const packageOf = (folder: string) =>
  JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as {
    version: string;
    workspaces?: string[];
    dependencies?: Record<string, string>;
  };

test("values: the version is the same in every package, and where packages name each other", () => {
  const folders = [".", ...packageOf(".").workspaces!];
  expect(folders.length).toBeGreaterThan(4);
  for (const folder of folders) {
    const { version: written, dependencies = {} } = packageOf(folder);
    const ours = Object.entries(dependencies).filter(([name]) => name.startsWith("@portcullis/"));
    expect([folder, written, ...ours.map(([, it]) => it)]).toEqual([folder, version, ...ours.map(() => version)]);
  }
});

const accepts = (schema: TSchema) => {
  const check = Compile(schema);
  return (value: unknown) => check.Check(value);
};

test("values: nullable plain values become one type or null, and keep everything else they said", () => {
  expect(Nullable(MacAddress)).toEqual({ ...MacAddress, type: ["string", "null"] });
  expect(Nullable(Type.Integer({ minimum: 1 }))).toMatchObject({ type: ["integer", "null"], minimum: 1 });
  expect(Nullable(OneOf(["a", "b"]))).toMatchObject({ type: ["string", "null"], enum: ["a", "b", null] });
  const mac = accepts(Nullable(MacAddress));
  expect([null, "02:00:00:00:00:01", "nonsense", undefined, 5].map(mac)).toEqual([true, true, false, false, false]);
  const word = accepts(Nullable(OneOf(["a", "b"])));
  expect([null, "a", "c", "null"].map(word)).toEqual([true, true, false, false]);
});

test("values: nullable objects and lists become either of two", () => {
  const point = accepts(Nullable(Type.Object({ x: Type.Integer() })));
  expect([null, { x: 1 }, {}, []].map(point)).toEqual([true, true, false, false]);
  const list = accepts(Nullable(Type.Array(Type.Integer())));
  expect([null, [], [1], ["a"], {}].map(list)).toEqual([true, true, true, false, false]);
});

test("values: making something nullable leaves the original as it was", () => {
  const before = JSON.stringify(MacAddress);
  Nullable(MacAddress);
  expect(JSON.stringify(MacAddress)).toBe(before);
});

test("values: a reference says which kind it names, however deep it stands in its field", () => {
  const schema = Type.Object({
    id: Type.String(),
    one: Reference("trust_class"),
    maybe: Nullable(Reference("privacy_class")),
    many: Type.Array(Reference("device_group")),
    manyOrNone: Nullable(Type.Array(Reference("tunnel"))),
    either: Type.Union([Reference("proxy"), Reference("tunnel")]),
    byName: ReferenceOrName("profile"),
  });
  expect(referenceFields(schema)).toEqual([
    { field: "one", kind: "trust_class" },
    { field: "maybe", kind: "privacy_class" },
    { field: "many", kind: "device_group" },
    { field: "manyOrNone", kind: "tunnel" },
    { field: "either", kind: "proxy" },
    { field: "either", kind: "tunnel" },
  ]);
  expect(referenceFields(Type.String())).toEqual([]);
  expect(Reference("trust_class")).toMatchObject({ format: "uuid", description: "Id of a trust class" });
});

test("values: a name is visible text on one line", () => {
  const name = accepts(Name);
  for (const fine of ["TV", "Küche", "居間", "a b", " a", "🛰️", "x".repeat(120)])
    expect([fine, name(fine)]).toEqual([fine, true]);
  for (const wrong of ["", " ", "  ", "a\nb", "a\tb", "\u0000", "\ud800", "x".repeat(121), null, 5])
    expect([wrong, name(wrong)]).toEqual([wrong, false]);
});

test("values: a MAC address is six bytes with colons, dashes, dots or nothing between them, and not that of a group", () => {
  const mac = accepts(MacAddress);
  for (const fine of ["02:00:00:aa:BB:01", "02-00-00-aa-BB-01", "0200.00aa.BB01", "020000aaBB01", "aC:00:00:00:00:01"])
    expect([fine, mac(fine)]).toEqual([fine, true]);
  for (const wrong of [
    "01:00:5e:00:00:fb",
    "33:33:00:00:00:01",
    "ff:ff:ff:ff:ff:ff",
    "01005e0000fb",
    "0200.00aabb01",
    "02:00:00:aa:bb",
    "02:00:00:aa:bb:01:02",
    "0g:00:00:aa:bb:01",
    " 02:00:00:aa:bb:01",
  ])
    expect([wrong, mac(wrong)]).toEqual([wrong, false]);
});

test("values: a digest is 64 lower-case hexadecimal digits", () =>
  expect(["a".repeat(64), "A".repeat(64), "a".repeat(63)].map(accepts(Digest))).toEqual([true, false, false]));

test("values: a named schema stays the schema it was, with a title", () => {
  const schema = Type.Object({});
  expect(named("Thing", schema)).toBe(schema);
  expect(schema).toMatchObject({ title: "Thing" });
});
