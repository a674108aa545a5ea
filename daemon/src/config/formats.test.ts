import { expect, test } from "vitest";
import { parseListenAddress } from "./formats.ts";

test.each([
  ["127.0.0.1:8080", { host: "127.0.0.1", port: 8080 }],
  ["[::1]:0", { host: "::1", port: 0 }],
  ["[::ffff:10.0.0.1]:53", { host: "::ffff:10.0.0.1", port: 53 }],
  ["localhost:65535", { host: "localhost", port: 65_535 }],
])("formats: %s is a place to listen", (text, address) => expect(parseListenAddress(text)).toEqual(address));

test.each([
  "",
  ":80",
  "127.0.0.1:080",
  "127.0.0.256:80",
  "[localhost]:80",
  "[]:80",
  "[fe80::1%eth0]:80",
  "a:b",
  "a:-1",
])("formats: %j is none", (text) => expect(parseListenAddress(text)).toBeUndefined());
