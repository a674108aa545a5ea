import fc from "fast-check";
import { expect, test } from "vitest";
import { announceSeed } from "../../../../testing/seed.ts";
import type { OpenvpnClient } from "./openvpn.model.ts";
import { renderClient } from "./openvpn.render.ts";

announceSeed("openvpn");

const client: OpenvpnClient = {
  interface: "ov3",
  remotes: [
    { address: "203.0.113.1", port: 1194, protocol: "udp" },
    { address: "2001:db8::1", port: 443, protocol: "tcp" },
  ],
  directives: [
    { name: "cipher", args: ["AES-256-GCM"] },
    { name: "verify-x509-name", args: ['C=CH, CN=a "server"', "name"] },
    { name: "key-direction", args: ["1"] },
  ],
  blocks: { key: "KEY\n", ca: "CA\n" },
  credentials: { username: "ada", password: "secret" },
  mtu: 1400,
  mark: 0x8000_0002,
  userId: 1_900_070_003,
  reserved: [],
};

test("OpenVPN configuration: all directives, in a stable order", async () => {
  await expect(renderClient(client, "/run/portcullis/openvpn/ov3.sock")).toMatchFileSnapshot("goldens/client.ovpn");
});

test("OpenVPN configuration: it has no credentials, and requests none if there are none", () => {
  expect(renderClient(client, "/s")).not.toMatch(/ada|secret/);
  expect(renderClient(client, "/s")).toContain("management-query-passwords\n");
  expect(renderClient({ ...client, credentials: null }, "/s")).not.toMatch(/auth-user-pass|query-passwords/);
});

test("a profile that says how to notice silence is heeded", () => {
  const said = { ...client, directives: [{ name: "keepalive", args: ["10", "60"] }] };
  expect(renderClient(client, "/s")).toContain("ping-restart 15\n");
  expect(renderClient(said, "/s")).not.toMatch(/^ping-restart/m);
  expect(renderClient(said, "/s")).toContain("keepalive 10 60\n");
});

test("the server decides no address, route, resolver, size or log level", () => {
  const rendered = renderClient(client, "/s");
  for (const line of ["ifconfig-noexec", "route-noexec", "route-nopull", "script-security 0"])
    expect(rendered).toContain(`${line}\n`);
  const filters = rendered.split("\n").filter((line) => line.startsWith("pull-filter"));
  expect(filters.at(-1)).toBe('pull-filter ignore ""');
  expect(filters.join("\n")).not.toMatch(
    /accept "?(?:route|redirect|dhcp|dns|block|tun-mtu|verb|mute|setenv|persist|echo)/,
  );
});

test("what would start programs, touch files, change routes or contradict us is left out", () => {
  const harmful = [
    "up", "down", "route-up", "ipchange", "plugin", "tls-verify", "auth-user-pass-verify", "script-security", "config",
    "log-append", "status", "writepid", "route", "redirect-gateway", "dhcp-option", "management", "mark", "dev", "remote",
    "client-connect", "learn-address", "setenv", "auth-user-pass", "auth-nocache", "user", "chroot", "ca", "bind-dev", "connection", "verb", "tun-mtu",
    "Up", "two words", "",
  ]; // biome-ignore format: names belong side by side
  const before = renderClient({ ...client, directives: [] }, "/s");
  for (const name of harmful)
    expect(renderClient({ ...client, directives: [{ name, args: ["x"] }] }, "/s")).toBe(before);
  expect(renderClient({ ...client, directives: [{ name: "cipher", args: ["x"] }] }, "/s")).not.toBe(before);
  expect(renderClient({ ...client, blocks: { ca: "x\n</ca>\nup evil\n<ca>" } }, "/s")).not.toContain("evil");
  expect(renderClient({ ...client, blocks: { connection: "remote evil 1" } }, "/s")).not.toContain("evil");
});

test("whatever words a directive has, it stays one line", () => {
  const text = fc.string({ unit: fc.constantFrom("a", " ", '"', "\\", "\n", "\r", "\t", "#", ";", "'", "<", ">") });
  const lines = (args: readonly string[]) =>
    renderClient({ ...client, directives: [{ name: "cipher", args }], blocks: {} }, "/s").split(/[\n\r]/);
  fc.assert(
    fc.property(fc.array(text, { maxLength: 3 }), (args) => {
      expect(lines(args).filter((line) => !line.startsWith("cipher"))).toEqual(
        lines(["x"]).filter((line) => !line.startsWith("cipher")),
      );
    }),
  );
});
