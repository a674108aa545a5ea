import { describe, expect, test } from "vitest";
import type { WireguardProfile } from "./profile.ts";
import { parseWireguardConf, renderWireguardConf } from "./wireguard-conf.ts";

const key = "yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk=";
const otherKey = "xTIBA5rboUvnH4htodjb6e697QjLERt1NAB4mZqp8Dg=";

interface Lines {
  readonly own?: readonly string[];
  readonly peer?: readonly string[];
}

const conf = ({ own = [], peer = [] }: Lines): string =>
  ["[Interface]", `PrivateKey = ${key}`, "Address = 10.0.0.2/32", ...own]
    .concat(["[Peer]", `PublicKey = ${otherKey}`, ...peer])
    .join("\n");

const problemsOf = (text: string): readonly string[] => {
  const reading = parseWireguardConf(text);
  return reading.kind === "refused" ? reading.refusals.map(({ line, problem }) => `${line}: ${problem}`) : [];
};

const profileOf = (text: string): WireguardProfile | undefined => {
  const reading = parseWireguardConf(text);
  return reading.kind === "read" ? reading.profile : undefined;
};

describe("WireGuard import: values", () => {
  test.each([
    ["AllowedIPs = 10.1.2.3/8", ["10.0.0.0/8"]],
    ["AllowedIPs = 10.1.2.3", ["10.1.2.3/32"]],
    ["AllowedIPs = ::0/0, 0.0.0.0/0", ["::/0", "0.0.0.0/0"]],
    ["AllowedIPs =", []],
    ["AllowedIPs = ::ffff:10.0.0.0/104", ["10.0.0.0/8"]],
  ])("%s", (line, allowedIps) => {
    expect(profileOf(conf({ peer: [line] }))?.peers[0]?.allowedIps).toEqual(allowedIps);
  });

  test.each([
    ["VPN.Example.NET:51820", "vpn.example.net:51820"],
    ["[2001:DB8::0:1]:443", "[2001:db8::1]:443"],
    ["[192.0.2.1]:443", "192.0.2.1:443"],
  ])("the endpoint %s", (written, endpoint) => {
    expect(profileOf(conf({ peer: [`Endpoint = ${written}`] }))?.peers[0]?.endpoint).toBe(endpoint);
  });

  test.each([
    "vpn.example.net",
    "vpn.example.net:0",
    "vpn.example.net:65536",
    "vpn.example.net:https",
    "2001:db8::1:51820",
    "[vpn.example.net]:1",
    "[fe80::1%eth0]:1",
    "1.2.3:51820",
    "0.0.0.0:51820",
    "239.0.0.1:51820",
    "-v.example.net:1",
    "a..b:1",
    ":1",
    "$(id):1",
    "a/b:1",
  ])("no endpoint: %s", (written) => {
    expect(problemsOf(conf({ peer: [`Endpoint = ${written}`] }))).toEqual([expect.stringMatching(/^6: Endpoint /)]);
  });

  test.each([
    ["off", 0],
    ["OFF", 0],
    ["25", 25],
  ])("PersistentKeepalive = %s", (written, keepaliveSec) => {
    expect(profileOf(conf({ peer: [`PersistentKeepalive = ${written}`] }))?.peers[0]?.keepaliveSec).toBe(keepaliveSec);
  });

  test.each(["576", "1280", "65535"])("an MTU of %s is taken", (mtu) => {
    expect(profileOf(conf({ own: [`MTU = ${mtu}`] }))?.mtu).toBe(Number(mtu));
  });

  test.each(["575", "65536", "1.5e3", "0x5dc", "-1420"])("an MTU of %s is not", (mtu) => {
    expect(problemsOf(conf({ own: [`MTU = ${mtu}`] }))).toEqual(["4: MTU must be a number from 576 to 65535."]);
  });

  test("a listening port of 0 is any port", () => {
    expect(profileOf(conf({ own: ["ListenPort = 0"] }))?.listenPort).toBeNull();
  });
});

describe("WireGuard import: refusals", () => {
  test.each(["PostUp", "postup", "PREUP", "Pre Down", "PostDown", "p o s t u p"])(
    "%s is refused in both sections",
    (hook) => {
      const refused = [expect.stringMatching(/^\d: (?:Pre|Post)(?:Up|Down) would run a command on the gateway/)];
      expect(problemsOf(conf({ own: [`${hook} = id`] }))).toEqual(refused);
      expect(problemsOf(conf({ peer: [`${hook}=id`] }))).toEqual(refused);
    },
  );

  test("a hook in a comment is a comment", () => {
    expect(profileOf(conf({ own: ["# PostUp = id", "MTU = 1400 # PostUp = id"] }))?.mtu).toBe(1400);
  });

  test.each(["constructor", "__proto__", "toString"])("%s is no key", (name) => {
    expect(problemsOf(conf({ own: [`${name} = 1`] }))).toHaveLength(1);
  });

  test("no refusal repeats a key", () => {
    const broken = `${key.slice(0, -2)}B=`;
    const said = problemsOf(
      `PrivateKey = ${broken}\n[Interface]\nPrivateKey = ${broken}\n${broken}\nDNS = ${broken}\n`,
    );
    expect(said).toHaveLength(6);
    expect(said.join()).not.toContain(broken.slice(0, 20));
  });

  test("they are collected, up to fifty", () => {
    expect(problemsOf(`[Interface]\n${"Colour = blue\n".repeat(49)}`)).toHaveLength(50);
    expect(problemsOf(`[Interface]\n${"Colour = blue\n".repeat(5000)}`)).toHaveLength(50);
  });

  test("256 peers are taken and 257 are not", () => {
    const peers = (count: number) =>
      Array.from({ length: count }, (_, place) => {
        const publicKey = Buffer.alloc(32, 1)
          .fill(place % 256, 0, 1)
          .fill(place >> 8, 1, 2)
          .toString("base64");
        return `[Peer]\nPublicKey = ${publicKey}\n`;
      }).join("");
    const own = "[Interface]\nAddress = 10.0.0.2\n";
    expect(profileOf(own + peers(256))?.peers).toHaveLength(256);
    expect(problemsOf(own + peers(257))).toEqual(["null: The file has more than 256 peers."]);
  });

  test("256 KiB are taken and a byte more is not, counted in UTF-8", () => {
    const text = `${conf({})}\n#`;
    const filled = (bytes: number) =>
      text + "é".repeat(Math.floor((bytes - text.length) / 2)) + "x".repeat((bytes - text.length) % 2);
    expect(profileOf(filled(256 * 1024))).toBeDefined();
    expect(problemsOf(filled(256 * 1024 + 1))).toEqual(["null: The file is larger than 256 KiB."]);
  });

  test.each([
    ["half a character", `${conf({})}\n# \uD83D`, "null: The file contains lone surrogates"],
    ["UTF-8 read as Latin-1", `ï»¿${conf({})}`, "null: The file is UTF-8 but was read as Latin-1."],
    [
      "UTF-16 with its halves changed",
      Buffer.from(conf({}), "utf16le").swap16().toString("utf16le"),
      "null: The file is written in UTF-16.",
    ],
    [
      "UTF-16 read as Latin-1",
      `ÿþ${Buffer.from(conf({}), "utf16le").toString("latin1")}`,
      "null: The file is written in UTF-16.",
    ],
    ["an escape sequence", conf({ own: ["# \u001b[2J"] }), "4: The line contains the control character U+001B."],
  ])("%s is refused", (_, text, problem) => {
    expect(problemsOf(text)).toEqual([expect.stringContaining(problem)]);
  });
});

test("WireGuard import: what is printed is a file of wg-quick without its secrets", () => {
  const profile: WireguardProfile = {
    privateKey: key,
    addresses: ["10.2.0.2/32", "2001:db8::2/128"],
    dns: ["10.2.0.1"],
    mtu: 1380,
    listenPort: 51820,
    peers: [
      {
        publicKey: otherKey,
        presharedKey: key,
        endpoint: "[2001:db8::1]:51820",
        allowedIps: ["0.0.0.0/0", "::/0"],
        keepaliveSec: 25,
      },
      { publicKey: key, presharedKey: null, endpoint: null, allowedIps: [], keepaliveSec: 0 },
    ],
  };
  expect(renderWireguardConf(profile, "kept in\nthe vault")).toBe(`[Interface]
# PrivateKey: kept in the vault
Address = 10.2.0.2/32, 2001:db8::2/128
DNS = 10.2.0.1
MTU = 1380
ListenPort = 51820

[Peer]
PublicKey = ${otherKey}
# PresharedKey: kept in the vault
AllowedIPs = 0.0.0.0/0, ::/0
Endpoint = [2001:db8::1]:51820
PersistentKeepalive = 25

[Peer]
PublicKey = ${key}
`);
});
