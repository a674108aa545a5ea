import { expect, test } from "vitest";
import { nameFrom, recognise } from "./recognise.ts";

test("recognise: a WireGuard file is recognised by its sections", () => {
  const file = "\uFEFF# a comment\r\n\r\n[Interface]\r\nPrivateKey = x\r\n[Peer]\r\n";
  expect(recognise(file)).toEqual({ kind: "wireguard" });
  expect(recognise("  [interface]  ")).toEqual({ kind: "wireguard" });
});

test("recognise: an OpenVPN file is recognised by its directives, and whether it needs a username and a password", () => {
  const plain = "client\ndev tun\nremote nl.example.net 1194\n";
  expect(recognise(plain)).toEqual({ kind: "openvpn", needsCredentials: false });
  expect(recognise(`${plain}auth-user-pass\n`)).toEqual({ kind: "openvpn", needsCredentials: true });
  expect(recognise(`${plain}auth-user-pass /etc/pass\n`)).toMatchObject({ needsCredentials: true });
  expect(recognise(`${plain}# auth-user-pass\n;auth-user-pass\n`)).toMatchObject({ needsCredentials: false });
});

test("recognise: a file that contains the credentials needs none", () => {
  const file = "remote a 1\nauth-user-pass\n<auth-user-pass>\nme\nsecret\n</auth-user-pass>\n";
  expect(recognise(file)).toEqual({ kind: "openvpn", needsCredentials: false });
});

test("recognise: the contents of certificates are skipped", () => {
  expect(recognise("remote a 1\n<ca>\nauth-user-pass\n[Interface]\n</ca>\n")).toEqual({
    kind: "openvpn",
    needsCredentials: false,
  });
});

test("recognise: empty text and other text", () => {
  expect(recognise(" \n# only a comment\n")).toEqual({ kind: "nothing" });
  expect(recognise("Dear customer, thank you")).toEqual({ kind: "unknown" });
});

test("recognise: a tunnel name is derived from the file name", () => {
  expect(nameFrom("nl-ams_01.conf")).toBe("nl-ams 01");
  expect(nameFrom("C:\\downloads\\Zürich.ovpn")).toBe("Zürich");
  expect(nameFrom("a/b/no-ending")).toBe("no-ending");
  expect(nameFrom(`${"x".repeat(200)}.conf`)).toHaveLength(120);
});
