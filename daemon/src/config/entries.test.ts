import { expect, test } from "vitest";
import { parseBootstrap } from "./bootstrap.ts";
import { bootstrapEntries } from "./entries.ts";
import { keys } from "./keys.ts";

function entriesOf(text: string) {
  const parsed = parseBootstrap(text, "/etc/portcullis/portcullis.yaml");
  if (parsed.kind === "mistakes") throw new Error("The file has mistakes");
  return bootstrapEntries(parsed.bootstrap, parsed.given);
}

test("bootstrap settings: every key is listed once, with its value and where that comes from", () => {
  const entries = entriesOf("log: {level: warn}\n");
  expect(entries.map(({ key }) => key)).toEqual(keys.map(({ dotted }) => dotted));
  expect(entries.find(({ key }) => key === "log.level")).toEqual({
    key: "log.level",
    value: "warn",
    source: "bootstrap",
    description: "Minimum severity",
    secret: false,
  });
  expect(entries.find(({ key }) => key === "dhcp.enabled")).toMatchObject({ value: false, source: "default" });
  expect(entries.find(({ key }) => key === "tls.key_file")).toMatchObject({ value: null, source: "default" });
});

test("bootstrap settings: API keys show who holds one, never the key", () => {
  const entries = entriesOf(
    "auth:\n  api_keys:\n    - 0123456789abcdef\n    - {key: fedcba9876543210, role: viewer, name: wall}\n",
  );
  expect(entries.find(({ key }) => key === "auth.api_keys")).toMatchObject({
    secret: true,
    value: [
      { name: "bootstrap-1", role: "admin" },
      { name: "wall", role: "viewer" },
    ],
  });
  expect(JSON.stringify(entries)).not.toMatch(/0123456789abcdef|fedcba9876543210/);
});
