import { documentLimits } from "@portcullis/contract/subsystems/configuration";
import { expect, test } from "vitest";
import { documentInput } from "./document-input.ts";

test("document: an export in JSON is sent as JSON, also above the limit of YAML; other text is sent as YAML", () => {
  const exported = { version: 1, devices: [{ name: "TV", notes: "x".repeat(documentLimits.yamlBytes) }] } as const;
  expect(documentInput(`${JSON.stringify(exported, null, 2)}\n`)).toEqual({ body: exported });
  for (const yaml of ["devices: []\n", "{devices: []}", "[]", "null", '"devices"', '{"devices": [}'])
    expect(documentInput(yaml)).toEqual({ yaml });
});
