import { expect, test } from "vitest";
import { baseOf } from "./address.ts";

test.each([
  [undefined, "http://localhost:8080/api/v1"],
  ["", "http://localhost:8080/api/v1"],
  ["http://192.0.2.1:8080", "http://192.0.2.1:8080/api/v1"],
  ["https://gateway.lan/", "https://gateway.lan/api/v1"],
  ["https://gateway.lan/behind/proxy/", "https://gateway.lan/behind/proxy/api/v1"],
  ["localhost:9090", "http://localhost:9090/api/v1"],
  ["[2001:db8::1]:8080", "http://[2001:db8::1]:8080/api/v1"],
])("%j is the gateway at %s", (said, base) => expect(baseOf(said)).toBe(base));

test.each(["ftp://gateway.lan", "http://", "unix:///run/portcullis", "http://a b"])("%j is no address", (said) =>
  expect(() => baseOf(said)).toThrow("which is no HTTP address"),
);

test.each(["http://admin:secret@gateway.lan", "http://gateway.lan?x=1", "http://gateway.lan#x"])(
  "%j says more than an address",
  (said) => expect(() => baseOf(said)).toThrow("no user, password or query"),
);
