import { api } from "@portcullis/contract/api";
import type { Api } from "@portcullis/contract/endpoint";
import { notSupportedKey } from "@portcullis/contract/values";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bodyTable } from "../../body-table.ts";
import { forms as deutsch } from "../i18n/de/forms.ts";
import { ui as german } from "../i18n/de/shell.ts";
import { forms } from "../i18n/en/forms.ts";
import { ui } from "../i18n/en/shell.ts";
import type { Rules } from "../api/rules.ts";
import { type FieldRule, faultOf, isOptional, shownIn, typedOf, valueOf } from "./form-values.ts";

const texts = { errors: ui.errors, forms };
const table = bodyTable();
/** Of an address, a form checks the characters, and the gateway the rest. */
const formats = { ip: /^[0-9A-Fa-f:.]+$/, ipv4: /^[0-9.]+$/, uuid: true, "date-time": true } as const;
const ajv = new Ajv2020({ strict: false, formats });

interface Schema {
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Body;
}
interface Body {
  readonly properties: Readonly<Record<string, Schema>>;
}
/** The rows of a list have fields themselves. */
const fieldsOf = (title: string, rules: Rules, { properties }: Body): Field[] =>
  Object.entries(rules).flatMap(([field, rule]) =>
    rule.fields
      ? fieldsOf(`${title}.${field}`, rule.fields, properties[field]!.items!)
      : [{ title: `${title}.${field}`, rule, accepts: ajv.compile(properties[field]!) }],
  );
interface Field {
  readonly title: string;
  readonly rule: FieldRule;
  readonly accepts: (value: unknown) => boolean;
}
/** Every field of every request that a form can offer, with what the contract accepts. */
const fields = Object.entries(table).flatMap(([subsystem, bodies]) =>
  Object.entries(bodies).flatMap(([operation, rules]) =>
    fieldsOf(
      `${subsystem}.${operation}`,
      rules,
      (api satisfies Api as Api)[subsystem]![operation]!.body as unknown as Body,
    ),
  ),
);

test("rules: what is a text, a number, or one of several texts in a request has one", () => {
  const isPlain = (it: Schema): boolean =>
    it.anyOf
      ? it.anyOf.every(isPlain)
      : ["string", "integer", "number", "null"].includes(
          [it.type]
            .flat()
            .join()
            .replace(/,null$/, ""),
        );
  const withoutRule = Object.entries(api satisfies Api as Api).flatMap(([subsystem, endpoints]) =>
    Object.entries(endpoints)
      .filter(([operation]) => operation !== "update" || !("create" in endpoints))
      .filter(([, { yaml }]) => yaml !== true) // A document is entered as text.
      .flatMap(([operation, { body }]) =>
        Object.entries((body as unknown as Partial<Body> | undefined)?.properties ?? {})
          .filter(([, schema]) => isPlain(schema) && !(notSupportedKey in schema))
          .map(([field]) => ({ field, rule: table[subsystem]?.[operation]?.[field], of: `${subsystem}.${operation}` }))
          .filter(({ rule }) => rule === undefined)
          .map(({ field, of }) => `${of}.${field}`),
      ),
  );
  expect(withoutRule).toEqual([]);
  expect(table["tunnels"]!["create"]!["probe_target"]).toMatchObject({ kind: "text", nullable: true, form: "ip" });
});

test("rules: every subsystem with requests has them, and each reference names a subsystem that lists its entries", () => {
  expect(fields.length).toBeGreaterThan(150);
  const references = fields.filter(({ rule }) => rule.of !== undefined);
  expect(references.length).toBeGreaterThan(8);
  for (const { rule } of references) expect(Object.keys(api[rule.of!])).toContain("list");
  expect(table["dnsRecords"]!["create"]!["zone_id"]).toEqual({ kind: "reference", of: "dnsZones", required: true });
  expect(table["dhcp"]!["put"]!["ranges"]!.fields).toMatchObject({ lease_sec: { kind: "number", unit: "sec" } });
});

/** Texts near the bounds and patterns of fields. */
const anyText = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 20 }),
  fc.constantFrom("", " ", "eth0", "home.arpa", "/dns-query", "10.0.0.1", "02:00:00:00:00:01", "03:00:00:00:00:01"),
  fc.constantFrom("https://a.example", "127.0.0.1:53", "a\u0000b", "-1", "0", "1.5", "65535", "65536", "1e3", "x"),
  fc.constantFrom(...[15, 16, 119, 121, 254, 255, 513].map((size) => "a".repeat(size))),
);

describe("form values: differences to the contract", () => {
  const typedFor = ({ kind, values }: FieldRule) => {
    if (kind === "switch") return fc.boolean();
    if (kind === "list")
      return fc.uniqueArray(
        anyText.filter((it) => it.trim() === it && it !== ""),
        { maxLength: 4 },
      );
    if (kind === "choices") return fc.subarray([...values!]);
    return values ? fc.constantFrom(...values, "") : anyText;
  };
  const compared = fields.filter(({ rule }) => !["references", "reference", "time"].includes(rule.kind));

  test("an input without a fault is accepted by the contract's schema, and one with a fault is not", () => {
    const wrong: string[] = [];
    for (const { title, rule, accepts } of compared)
      fc.assert(
        fc.property(typedFor(rule), (typed) => {
          const value = valueOf(rule, typed);
          // An empty input is not sent. That of a number would be ignored, so it is a mistake.
          const accepted = value === undefined ? !rule.required && rule.kind !== "number" : accepts(value);
          const isRefused = faultOf(rule, typed, texts) !== undefined;
          if (isRefused === accepted) wrong.push(`${title}: ${JSON.stringify(typed)} as ${JSON.stringify(value)}`);
        }),
        { numRuns: 10 },
      );
    expect(wrong).toEqual([]);
  });
});

test("form values: what the gateway sent is shown and sent back unchanged", () => {
  const sent = fields.flatMap(({ rule }) => [
    ...(rule.initial === undefined ? [] : [{ rule, value: rule.initial }]),
    ...(rule.kind === "choices" ? [] : (rule.values ?? [])).map((value) => ({ rule, value })),
    ...(rule.nullable && rule.kind !== "secret" ? [{ rule, value: null }] : []),
  ]);
  expect(sent.length).toBeGreaterThan(100);
  expect(sent.filter(({ rule, value }) => valueOf(rule, typedOf(rule, value)) !== value)).toEqual([]);
});

test("form values: a number in a longer unit keeps its value, and its bounds are those of the contract", () => {
  const lease: FieldRule = { kind: "number", unit: "sec", min: 120, max: 2_592_000, whole: true };
  const hours = shownIn(lease, "hours");
  expect(typedOf(hours, 43_200)).toBe("12");
  expect(valueOf(hours, "1.1")).toBe(3960);
  expect(faultOf(hours, "1.1", texts)).toBeUndefined();
  expect(faultOf(hours, "0", texts)).toBe(ui.errors.small("1"));
  expect(faultOf(hours, "721", texts)).toBe(ui.errors.large("720"));
  expect(faultOf(hours, "720", texts)).toBeUndefined();
});

test("form values: a pattern is explained in the language of the interface", () => {
  const mac = table["devices"]!["create"]!["mac"]!;
  expect(faultOf(mac, "kitchen", texts)).toMatch(/^Must be the MAC address of one device/);
  expect(faultOf(mac, "kitchen", { errors: german.errors, forms: deutsch })).toMatch(/^Erwartet: die MAC-Adresse/);
  expect(faultOf(mac, "", texts)).toBeUndefined();
});

test("form values: marks as optional what may be empty", () => {
  const { name, port, domains, path } = table["dnsForwarders"]!["create"]!;
  expect([name, port, domains, path].map((it) => isOptional(it!))).toEqual([false, true, true, true]);
});
