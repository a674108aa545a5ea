import { expect, test } from "vitest";
import { nameFrom, recognise } from "./recognise.ts";

test("a WireGuard file is known by its sections, whatever stands around them", () => {
  const file = "\uFEFF# made by somebody\r\n\r\n[Interface]\r\nPrivateKey = x\r\n[Peer]\r\n";
  expect(recognise(file)).toEqual({ kind: "wireguard" });
  expect(recognise("  [interface]  ")).toEqual({ kind: "wireguard" });
});

test("an OpenVPN file is known by its words, and says whether it asks for a name and a password", () => {
  const plain = "client\ndev tun\nremote nl.example.net 1194\n";
  expect(recognise(plain)).toEqual({ kind: "openvpn", asksForCredentials: false });
  expect(recognise(`${plain}auth-user-pass\n`)).toEqual({ kind: "openvpn", asksForCredentials: true });
  expect(recognise(`${plain}auth-user-pass /etc/pass\n`)).toMatchObject({ asksForCredentials: true });
  expect(recognise(`${plain}# auth-user-pass\n;auth-user-pass\n`)).toMatchObject({ asksForCredentials: false });
});

test("a file that carries the name and the password is not asked for them", () => {
  const file = "remote a 1\nauth-user-pass\n<auth-user-pass>\nme\nsecret\n</auth-user-pass>\n";
  expect(recognise(file)).toEqual({ kind: "openvpn", asksForCredentials: false });
});

test("what stands inside a certificate is not read", () => {
  expect(recognise("remote a 1\n<ca>\nauth-user-pass\n[Interface]\n</ca>\n")).toEqual({
    kind: "openvpn",
    asksForCredentials: false,
  });
});

test("nothing and anything else", () => {
  expect(recognise(" \n# only a comment\n")).toEqual({ kind: "nothing" });
  expect(recognise("Dear customer, thank you")).toEqual({ kind: "stranger" });
});

test("a name comes from the file's", () => {
  expect(nameFrom("nl-ams_01.conf")).toBe("nl-ams 01");
  expect(nameFrom("C:\\downloads\\Zürich.ovpn")).toBe("Zürich");
  expect(nameFrom("a/b/no-ending")).toBe("no-ending");
  expect(nameFrom(`${"x".repeat(200)}.conf`)).toHaveLength(120);
});
