import { chmodSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../testing/folder.ts";
import { knownGateways, privateText } from "./known-gateways.ts";

test("known gateways: what is known of a gateway is stored for its user alone, and forgotten on request", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "config", "portcullis", "gateways.json");
  const known = knownGateways(path);
  expect(known.get("https://a")).toEqual({});
  known.set("https://a", { key: "k", pin: "p" });
  known.set("https://b", { pin: "q" });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(knownGateways(path).get("https://a")).toEqual({ key: "k", pin: "p" });
  expect([known.forget("https://a"), known.forget("https://a")]).toEqual([true, false]);
  expect([known.get("https://a"), known.get("https://b")]).toEqual([{}, { pin: "q" }]);
});

test("known gateways: a file that other users can read is refused, with the command that repairs it", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "key");
  writeFileSync(path, "secret\n", { mode: 0o600 });
  expect(privateText(path)).toBe("secret\n");
  chmodSync(path, 0o640);
  expect(() => privateText(path)).toThrow(`chmod 600 ${path}`);
});

test("known gateways: a file that is not the client's own is reported, not overwritten", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "gateways.json");
  writeFileSync(path, "not JSON", { mode: 0o600 });
  expect(() => knownGateways(path).set("https://a", {})).toThrow("log in again");
  expect(privateText(path)).toBe("not JSON");
});
