import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { api } from "@portcullis/contract/api";
import { operations } from "@portcullis/contract/endpoint";
import { type StringSetting, stringSettings } from "@portcullis/contract/subsystems/settings";
import { notSupportedKey } from "@portcullis/contract/values";
import { expect, test } from "vitest";
import { keys } from "../daemon/src/config/keys.ts";
import { effects } from "./effects.ts";

/** Keys of the bootstrap file with a single valid value, because nothing reads them. */
const unsupportedKeys = new Set(["dhcp.enabled", "network.mode"]);

/** Fields of request bodies that change something, without refused ones. */
function writableFields(): string[] {
  const fields = operations(api).flatMap(({ subsystem, endpoint }) => {
    if (endpoint.audit === undefined || endpoint.notSupported !== undefined) return [];
    const properties = (endpoint.body as { properties?: Record<string, object> } | undefined)?.properties ?? {};
    return Object.entries(properties)
      .filter(
        ([field, schema]) => !(notSupportedKey in schema) && !(subsystem === "settings" && field in stringSettings),
      )
      .map(([field]) => `${subsystem}.${field}`);
  });
  const ofFile = keys.map(({ dotted }) => dotted).filter((it) => !unsupportedKeys.has(it));
  const ofSettings = promising.map((it) => `setting.${it}`);
  return [...new Set([...fields, ...ofSettings, ...ofFile.map((it) => `bootstrap.${it}`)])].toSorted();
}

/** Settings that a user may change, and that are no field of an alert channel: those are listed with the channels. */
const promising = Object.entries(stringSettings as Record<string, StringSetting>)
  .filter(([, { readOnly, acceptedValues, channel }]) => !readOnly && acceptedValues === undefined && !channel)
  .map(([key]) => key);

test("every writable field, stored setting and bootstrap key has a test that observes its effect, or is refused", () => {
  const listed = effects.flatMap(({ of, fields }) => fields.split(" ").map((field) => `${of}.${field}`));
  expect(listed.toSorted()).toEqual(writableFields());
});

test.each(effects)("$of $fields: $file has the test", ({ file, title }) => {
  const source = readFileSync(resolve(import.meta.dirname, "..", file), "utf8");
  expect(source.split("\n").filter((line) => line.includes('"') && line.includes(title))).not.toEqual([]);
});
