import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { parseBootstrap } from "./bootstrap.ts";
import { describeMistake } from "./mistake.ts";
import { accessWarnings, isBeyondLoopback } from "./access-checks.ts";

const file = "/etc/portcullis/portcullis.yaml";
function mistakesIn(config: object): string[] {
  const parsed = parseBootstrap(JSON.stringify(config), file);
  return parsed.kind === "mistakes" ? parsed.mistakes.map(describeMistake) : [];
}

describe("access settings: an API without authentication is not served beyond loopback", () => {
  const config = (api_addr: string, enabled: boolean) => ({ listen: { api_addr }, auth: { enabled } });

  test.each(["0.0.0.0:8080", "[::]:8080", "192.168.1.1:80", "[fd00::1]:80", "gateway.lan:80", "[::ffff:10.0.0.1]:80"])(
    "%s needs authentication",
    (address) => {
      expect(mistakesIn(config(address, false))).toEqual([
        expect.stringMatching(/^\S+ listen\.api_addr: can be reached from other machines while auth\.enabled is false/),
      ]);
      expect(mistakesIn(config(address, true))).toEqual([]);
      expect(isBeyondLoopback(address)).toBe(true);
    },
  );

  test.each(["127.0.0.1:8080", "127.1.2.3:80", "[::1]:8080", "localhost:8080", "[::ffff:127.0.0.1]:80"])(
    "%s may do without",
    (address) => {
      expect(mistakesIn(config(address, false))).toEqual([]);
      expect(isBeyondLoopback(address)).toBe(false);
    },
  );
});

describe("access settings: auth.local_net is a network of the operator's own, or none", () => {
  const config = (local_net: string) => ({ auth: { enabled: true, local_net } });

  test.each(["0.0.0.0/0", "0.0.0.0/1", "128.0.0.0/1", "8.0.0.0/8", "::/0", "2000::/3", "2001:db8::/32", "::/1"])(
    "%s is refused",
    (range) =>
      expect(mistakesIn(config(range))).toEqual([
        expect.stringMatching(/^\S+ auth\.local_net: covers networks that are not yours/),
      ]),
  );

  test.each(
    ["", "127.0.0.0/8", "10.0.0.0/8", "192.168.1.0/24", "172.16.0.0/12", "198.51.100.0/24", "fd00::/8", "2001:db8:1:2::/64", "::1/128"],
  )("%j is taken", (range) => expect(mistakesIn(config(range))).toEqual([])); // biome-ignore format: a list
});

describe("access settings: beyond loopback the API is served over TLS", () => {
  const config = (api_addr: string, tls: object) => ({ listen: { api_addr }, auth: { enabled: true }, tls });
  const isOn = (api_addr: string, tls: object = {}) => {
    const parsed = parseBootstrap(JSON.stringify(config(api_addr, tls)), file);
    if (parsed.kind === "mistakes") throw new Error(JSON.stringify(parsed.mistakes));
    return parsed.bootstrap.tls.enabled;
  };

  test("also when the file does not say so", () => {
    expect(["0.0.0.0:80", "[fd00::1]:80", "gateway.lan:80"].map((it) => isOn(it))).toEqual([true, true, true]);
    expect(["127.0.0.1:80", "[::1]:80", "localhost:80"].map((it) => isOn(it))).toEqual([false, false, false]);
    expect(isOn("127.0.0.1:80", { enabled: true })).toBe(true);
  });

  test("and a file that says no is refused, except for a proxy of the same machine", () => {
    expect(mistakesIn(config("0.0.0.0:80", { enabled: false }))).toEqual([
      expect.stringMatching(/^\S+ tls\.enabled: would send passwords and keys over the network in the clear/),
    ]);
    expect(isOn("127.0.0.1:80", { enabled: false })).toBe(false);
  });
});

test("access settings: a mistake elsewhere does not hide one of access", () => {
  const config = { listen: { api_addr: "0.0.0.0:80" }, log: { level: "loud" } };
  expect(mistakesIn(config)).toHaveLength(2);
});

describe("access settings: warnings", () => {
  const warningsOf = (api_keys: readonly string[], mode: number) => {
    const parsed = parseBootstrap(JSON.stringify({ auth: { enabled: true, api_keys } }), file);
    if (parsed.kind === "mistakes") throw new Error(JSON.stringify(parsed.mistakes));
    return accessWarnings(parsed.bootstrap, file, mode);
  };
  const strong = randomBytes(32).toString("hex");

  test("a file with keys that others can read", () => {
    for (const mode of [0o100644, 0o100640, 0o100604])
      expect(warningsOf([strong], mode)).toEqual([expect.stringContaining("is readable by other users")]);
    expect(warningsOf([strong], 0o100600)).toEqual([]);
    expect(warningsOf([], 0o100644)).toEqual([]);
  });

  test("a key that is easy to guess is named by its place and name, and not shown", () => {
    const weak = ["aaaaaaaaaaaaaaaa", "abcabcabcabcabcabcabcabc", "portcullis-admin"];
    const warnings = warningsOf([strong, ...weak], 0o100600);
    expect(warnings.map((it) => /auth\.api_keys\[(\d)\] \(bootstrap-\d\) is easy to guess/.exec(it)?.[1])).toEqual([
      "1",
      "2",
      "3",
    ]);
    for (const key of weak) expect(warnings.join("")).not.toContain(key);
  });

  test.each([() => randomBytes(16).toString("hex"), () => randomBytes(16).toString("base64url")])(
    "a random key of 128 bits is none",
    (make) => {
      for (let turn = 0; turn < 200; turn += 1) expect(warningsOf([make()], 0o100600)).toEqual([]);
    },
  );
});
