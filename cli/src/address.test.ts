import { expect, test } from "vitest";
import { defaultSocket, targetOf } from "./address.ts";

const without = () => false;
const withSocket = () => true;

test.each([
  [undefined, "http://localhost:8080/api/v1"],
  ["", "http://localhost:8080/api/v1"],
  ["http://192.0.2.1:8080", "http://192.0.2.1:8080/api/v1"],
  ["https://gateway.lan/", "https://gateway.lan/api/v1"],
  ["https://gateway.lan/behind/proxy/", "https://gateway.lan/behind/proxy/api/v1"],
  ["localhost:9090", "http://localhost:9090/api/v1"],
  ["[2001:db8::1]:8080", "http://[2001:db8::1]:8080/api/v1"],
])("gateway address: %j is the gateway at %s", (address, base) =>
  expect(targetOf(address, without)).toEqual({ kind: "http", origin: new URL(base).origin, base }),
);

test("gateway address: without an address the gateway's own socket is used where it can be opened", () => {
  expect(targetOf(undefined, withSocket)).toEqual({ kind: "socket", path: defaultSocket });
  expect(targetOf("http://192.0.2.1", withSocket)).toMatchObject({ kind: "http" });
});

test.each(["unix:/tmp/api.sock", "unix:///tmp/api.sock"])("gateway address: %j is a socket", (address) =>
  expect(targetOf(address, without)).toEqual({ kind: "socket", path: "/tmp/api.sock" }),
);

test.each(["ftp://gateway.lan", "http://", "http://a b"])("gateway address: %j is no address", (address) =>
  expect(() => targetOf(address, without)).toThrow("it must be an HTTP address"),
);

test("gateway address: a socket needs an absolute path", () =>
  expect(() => targetOf("unix:api.sock", without)).toThrow("an absolute path"));

test.each(["http://admin:secret@gateway.lan", "http://gateway.lan?x=1", "http://gateway.lan#x"])(
  "gateway address: %j says more than an address",
  (address) => expect(() => targetOf(address, without)).toThrow("no user, password or query"),
);
