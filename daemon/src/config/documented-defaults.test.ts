import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { keys } from "./keys.ts";

const defaultOf = (dotted: string): string => String(keys.find((it) => it.dotted === dotted)!.schema.default);
const text = (file: string): string => readFileSync(file, "utf8").replaceAll(/\s+/g, " ");

test("documented defaults: SECURITY.md and the guide state the default of network.default_egress as it is", () => {
  const egress = defaultOf("network.default_egress");
  expect(["direct", "block"]).toContain(egress);
  expect(text("SECURITY.md")).toContain(`**\`network.default_egress\` is \`${egress}\`**`);
  expect(text("docs/guide/devices.md")).toContain(`\`network.default_egress\` (\`${egress}\` unless you changed it`);
  // The threat model must not promise more than the default keeps.
  expect([egress, /block by default/.test(text("SECURITY.md"))]).toEqual([egress, egress === "block"]);
});

test("documented defaults: SECURITY.md and the guide say that a MAC address is not authentication", () => {
  for (const file of ["SECURITY.md", "docs/guide/devices.md"])
    expect(text(file)).toContain("**A MAC address is not authentication.**");
});
