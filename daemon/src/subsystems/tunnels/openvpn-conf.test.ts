import { sentence } from "@portcullis/contract/reason";
import { describe, expect, test } from "vitest";
import { ownSec } from "../../../../testing/clock.ts";
import { expectWithin, repeatable } from "../../../../testing/deadline.ts";
import { parseOpenvpnConf, renderOpenvpnConf } from "./openvpn-conf.ts";
import { lineOf, wordsOf } from "./openvpn-lexer.ts";
import type { OpenvpnProfile } from "./profile.ts";

/** As much of a certificate as is looked at: a SEQUENCE of the length it says. */
const der = (bytes: number): string =>
  Buffer.concat([
    Buffer.from([0x30, 0x83, bytes >> 16, (bytes >> 8) & 255, bytes & 255]),
    Buffer.alloc(bytes, 7),
  ]).toString("base64");
const body = der(16);
const ca = `<ca>\n-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n</ca>`;

/** The lines that are tried begin at line 4. */
const ovpn = (...lines: readonly string[]): string =>
  ["remote vpn.example.net", "auth-user-pass", "remote-cert-tls server", ...lines, ca].join("\n");

const problemsOf = (text: string): readonly string[] => {
  const reading = parseOpenvpnConf(text);
  return reading.kind === "refused" ? reading.refusals.map(({ line, problem }) => `${line}: ${problem}`) : [];
};

const profileOf = (text: string): OpenvpnProfile | undefined => {
  const reading = parseOpenvpnConf(text);
  return reading.kind === "read" ? reading.profile : undefined;
};

const notesOf = (text: string): readonly string[] => {
  const reading = parseOpenvpnConf(text);
  return reading.kind === "read" ? reading.notes.map((it) => sentence(it)) : [];
};

const directiveOf = (text: string, name: string): readonly string[] | undefined =>
  profileOf(text)?.directives.find((it) => it.name === name)?.args;

describe("OpenVPN import: words", () => {
  test.each([
    ["a b\tc", ["a", "b", "c"]],
    ["a 'b c' \"d e\"", ["a", "b c", "d e"]],
    ['a\\ b \\\\ "\\""', ["a b", "\\", '"']],
    ["a 'b\\c'", ["a", "b\\c"]],
    ['"a"b', ["a", "b"]],
    ["a#b;c # d", ["a#b;c"]],
    ["a ; b", ["a"]],
    ["a \"#\" ';'", ["a", "#", ";"]],
    ['a ""', ["a", ""]],
    ["   ", []],
  ])("%s", (line, words) => {
    expect(wordsOf(line)).toEqual({ kind: "words", words });
    expect(wordsOf(lineOf(words))).toEqual({ kind: "words", words });
  });

  test.each(['a "b', "a 'b", "a \\n", "a \\", "a ".repeat(17), `a ${"b".repeat(256)}`])("not taken: %s", (line) => {
    expect(wordsOf(line).kind).toBe("refused");
  });
});

describe("OpenVPN import: remotes", () => {
  test.each([
    [["proto tcp", "port 443"], { host: "vpn.example.net", port: 443, protocol: "tcp" }],
    [["rport 53"], { host: "vpn.example.net", port: 53, protocol: "udp" }],
    [["proto udp6"], { host: "vpn.example.net", port: 1194, protocol: "udp" }],
    [["proto tcp4-client"], { host: "vpn.example.net", port: 1194, protocol: "tcp" }],
  ])("take what they do not say from %j", (lines, remote) => {
    expect(profileOf(ovpn(...lines))?.remotes).toEqual([remote]);
  });

  test.each([
    ["remote 2001:DB8::1 443 tcp", "2001:db8::1"],
    ["remote [2001:db8::1] 443 tcp", "2001:db8::1"],
    ["remote 198.51.100.7 443 tcp6-client", "198.51.100.7"],
    ["remote B.Example.NET 443 tcp", "b.example.net"],
  ])("%s", (line, host) => {
    expect(profileOf(ovpn(line))?.remotes[1]).toEqual({ host, port: 443, protocol: "tcp" });
  });

  test.each([
    "remote",
    "remote a.example 0",
    "remote a.example 1 sctp",
    "remote a.example 1 udp x",
    "remote 1.2.3",
    "remote 0.0.0.0",
    "remote a;b",
    "proto tcp-server",
    "port x",
    "<connection>\n</connection>",
  ])("OpenVPN import: invalid remote: %s", (line) => {
    expect(problemsOf(ovpn(line))).toHaveLength(1);
  });

  test("proto-force leaves those of one protocol", () => {
    expect(profileOf(ovpn("remote b.example.net 443 tcp", "proto-force tcp"))?.remotes).toEqual([
      { host: "b.example.net", port: 443, protocol: "tcp" },
    ]);
  });

  test("64 are taken and 65 are not", () => {
    const more = (count: number) => Array.from({ length: count }, (_, place) => `remote h${place}.example.net`);
    expect(profileOf(ovpn(...more(63)))?.remotes).toHaveLength(64);
    expect(problemsOf(ovpn(...more(64)))).toEqual(["null: The file has more than 64 remotes."]);
  });
});

describe("OpenVPN import: directives", () => {
  test("of one name the last counts", () => {
    expect(directiveOf(ovpn("auth SHA1", "auth SHA256"), "auth")).toEqual(["SHA256"]);
  });

  test("a client is a client, whether it says so or not", () => {
    expect(profileOf(ovpn("tls-client", "pull"))?.directives[0]).toEqual({ name: "client", args: [] });
  });

  test.each(["setenv opt auth SHA256", "--auth SHA256", "'auth' \"SHA256\""])("%s is auth", (line) => {
    expect(directiveOf(ovpn(line), "auth")).toEqual(["SHA256"]);
  });

  test.each(["comp-lzo", "comp-lzo yes", "compress lz4", "allow-compression yes"])(
    "%s is taken with a note",
    (line) => {
      expect(notesOf(ovpn(line))).toEqual([expect.stringContaining("compresses")]);
    },
  );

  test.each(["comp-lzo no", "compress", "compress stub-v2", "allow-compression no"])("%s needs no note", (line) => {
    expect(notesOf(ovpn(line))).toEqual([]);
  });

  test.each(["cipher none", "data-ciphers AES-256-GCM:none", "ncp-ciphers ?NONE", "tls-cipher NULL"])(
    "%s is refused",
    (line) => {
      expect(problemsOf(ovpn(line))).toEqual([expect.stringContaining("in the clear")]);
    },
  );

  test.each(["script-security", "script-security 2", "script-security 3", "script-security 1x"])(
    "%s is refused",
    (line) => {
      expect(problemsOf(ovpn(line))).toEqual([expect.stringContaining("4: script-security is refused")]);
    },
  );

  test("what ignore-unknown-option names may be unknown, but no script becomes harmless by it", () => {
    expect(profileOf(ovpn("ignore-unknown-option frobnicate up", "frobnicate 1"))).toBeDefined();
    expect(problemsOf(ovpn("ignore-unknown-option frobnicate up", "up x"))).toHaveLength(1);
  });

  test.each(["fragment 1300", "fragment 1300 mtu"])("%s and tcp do not go together", (line) => {
    expect(profileOf(ovpn(line))).toBeDefined();
    expect(problemsOf(ovpn(line, "proto tcp"))).toHaveLength(1);
  });

  test("a subject may have any letters, and no line is longer than OpenVPN reads", () => {
    expect(directiveOf(ovpn("verify-x509-name 'C=CH, CN=\"Zürich\"' subject"), "verify-x509-name")).toEqual([
      'C=CH, CN="Zürich"',
      "subject",
    ]);
    expect(problemsOf(ovpn(`verify-x509-name '${'"'.repeat(180)}'`))).toEqual([expect.stringContaining("254 bytes")]);
  });

  test.each(["__proto__", "constructor", "<__proto__>\n</__proto__>", "<constructor>\n</constructor>"])(
    "%s is nothing",
    (line) => {
      expect(problemsOf(ovpn(line))).toHaveLength(1);
    },
  );

  test("no refusal repeats a secret that lost its block", () => {
    const said = problemsOf(ovpn(body, "hunter2 Hunter2", "ca hunter2", "auth-user-pass hunter2", "reneg-sec hunter2"));
    expect(said).toHaveLength(5);
    expect(said.join()).not.toMatch(/BwcHBwcH|hunter2/i);
  });
});

describe("OpenVPN import: blocks", () => {
  test("what stands around a certificate is left behind, and odd line lengths are evened out", () => {
    const text = ovpn()
      .replace(`${body}\n`, `${body.slice(0, 10)}\n  ${body.slice(10)}  \n`)
      .replace("<ca>\n", "<ca>\nSubject: x\n");
    expect(profileOf(text)?.blocks["ca"]).toBe(`-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`);
  });

  test("a huge one is refused, whatever stood around it", () => {
    const cert = (bytes: number) => [
      "<cert>",
      "-----BEGIN CERTIFICATE-----",
      ...(der(Math.floor((bytes * 3) / 4)).match(/.{1,64}/g) ?? []),
      "-----END CERTIFICATE-----",
      "</cert>",
    ];
    expect(profileOf(ovpn(...cert(120 * 1024)))).toBeDefined();
    expect(problemsOf(ovpn(...cert(128 * 1024)))).toEqual(["4: <cert> is larger than 128 KiB."]);
  });

  test.each([
    ["mistakes in one <connection>", "proxy-remote-autos", 50],
    ["directives that may be unknown", "setenv opt proxy-remote-autos", 1],
  ])("thousands of %s are not all looked into", repeatable, (_, line, problems) => {
    const text = ovpn("<connection>", ...Array.from({ length: 8000 }, () => line), "</connection>");
    const start = ownSec();
    expect(problemsOf(text)).toHaveLength(problems);
    expectWithin(1, { "check of 8,000 lines": ownSec() - start });
  });

  test.each([
    ["a line too many", [body, body.slice(0, 8)]],
    ["a line too few", [body.slice(0, -4)]],
    ["no SEQUENCE", ["AAAAAAAAAAAAAAAAAAAA"]],
    ["no base64", ["********************"]],
    ["nothing", []],
  ])("a certificate with %s is refused", (_, lines) => {
    const marks = ["<cert>", "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----", "</cert>"];
    expect(problemsOf(ovpn(...marks.slice(0, 2), ...lines, ...marks.slice(2)))).toEqual([
      "4: <cert> contains a corrupt part.",
    ]);
  });

  test("a password may look like anything but the end of its block", () => {
    const password = ' <up> "# ;\\x';
    expect(profileOf(ovpn("<auth-user-pass>", " me ", password, "</auth-user-pass>"))?.credentials).toEqual({
      username: " me ",
      password,
    });
  });

  test("a name without a password has to be completed", () => {
    const text = ovpn("<auth-user-pass>", "me", "</auth-user-pass>");
    expect(profileOf(text)).toMatchObject({ requiresCredentials: true, credentials: null });
    expect(notesOf(text)).toHaveLength(1);
  });
});

test("OpenVPN import: what is printed is a file of OpenVPN without its secrets", () => {
  const profile: OpenvpnProfile = {
    remotes: [
      { host: "vpn.example.net", port: 443, protocol: "tcp" },
      { host: "2001:db8::1", port: 1194, protocol: "udp" },
    ],
    directives: [
      { name: "client", args: [] },
      { name: "verify-x509-name", args: ['C=CH, CN="x\\y"', "subject"] },
    ],
    blocks: { ca: "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n" },
    secretBlocks: { key: "hidden", "tls-auth": "hidden" },
    requiresCredentials: true,
    credentials: { username: "hidden", password: "hidden" },
  };
  expect(renderOpenvpnConf(profile, "kept in\nthe vault")).toBe(String.raw`client
verify-x509-name "C=CH, CN=\"x\\y\"" subject
remote vpn.example.net 443 tcp
remote 2001:db8::1 1194 udp
# auth-user-pass: kept in the vault
auth-user-pass
# key: kept in the vault
# tls-auth: kept in the vault
<ca>
-----BEGIN CERTIFICATE-----
MIIB
-----END CERTIFICATE-----
</ca>
`);
});
