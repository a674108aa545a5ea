import { parseOpenvpnConf } from "../daemon/src/subsystems/tunnels/openvpn-conf.ts";
import { parseWireguardConf } from "../daemon/src/subsystems/tunnels/wireguard-conf.ts";
import { corpus, type Format } from "./tunnel-files.ts";

/** Valid, mutated and hostile tunnel files. The same seed gives the same text. */
export function tunnelText(format: Format, seed: number): string {
  const chance = chanceOf(seed);
  const files = filesOf[format];
  const isGentle = chance.below(2) === 0;
  const start = () => (chance.below(4) === 0 ? written(format, chance) : chance.of(files));
  let text = isGentle ? chance.of(soundFilesOf[format]) : start();
  const material = isGentle ? soundFilesOf[format] : files;
  for (let left = 1 + chance.below(4); left > 0; left--)
    text = chance.of(isGentle ? gentleMutations : mutations)({ text, files: material, chance });
  return text.slice(0, maxCharacters);
}

const textsOf = (format: Format): readonly string[] =>
  corpus.filter((it) => it.format === format).map(({ text }) => text);

const filesOf = { wireguard: textsOf("wireguard"), openvpn: textsOf("openvpn") };

const soundFilesOf = {
  wireguard: filesOf.wireguard.filter((text) => parseWireguardConf(text).kind === "read"),
  openvpn: filesOf.openvpn.filter((text) => parseOpenvpnConf(text).kind === "read"),
};

const maxCharacters = 256 * 1024;

interface Chance {
  readonly below: (bound: number) => number;
  readonly of: <T>(choices: readonly T[]) => T;
}

/** mulberry32. */
function chanceOf(seed: number): Chance {
  let state = seed | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const below = (bound: number) => next() % bound;
  return { below, of: (choices) => choices[below(choices.length)]! };
}

interface Material {
  readonly text: string;
  readonly files: readonly string[];
  readonly chance: Chance;
}

type Mutation = (material: Material) => string;

const mutations: readonly Mutation[] = [
  ({ text, files, chance }) => {
    const other = chance.of(files);
    return text.slice(0, chance.below(text.length + 1)) + other.slice(chance.below(other.length + 1));
  },
  ({ text, files, chance }) => {
    const lines = text.split("\n");
    const others = chance.of(files).split("\n");
    lines.splice(chance.below(lines.length), chance.below(2), chance.of(others));
    return lines.join("\n");
  },
  ({ text, chance }) => {
    const at = chance.below(text.length + 1);
    const flipped = String.fromCharCode((text.charCodeAt(at) || 65) ^ (1 << chance.below(8)));
    return text.slice(0, at) + flipped + text.slice(at + 1);
  },
  ({ text, chance }) => {
    const at = chance.below(text.length + 1);
    return text.slice(0, at) + chance.of(hostile) + text.slice(at);
  },
  ({ text, chance }) => {
    const lines = text.split("\n");
    lines.splice(chance.below(lines.length + 1), 0, chance.of(hostile));
    return lines.join("\n");
  },
  ({ text, chance }) => text.slice(0, chance.below(text.length + 1)),
  ({ text, chance }) => {
    const lines = text.split("\n");
    lines.splice(chance.below(lines.length), 1);
    return lines.join("\n");
  },
  ({ text, chance }) => {
    const lines = text.split("\n");
    const at = chance.below(lines.length);
    lines[at] = chance.of([
      lines[at]!.toUpperCase(),
      `  ${lines[at]}\t`,
      `"${lines[at]}"`,
      `--${lines[at]}`,
      `${lines[at]}\r`,
    ]);
    return lines.join("\n");
  },
  ({ text, chance }) => {
    const from = chance.below(text.length + 1);
    const piece = text.slice(from, from + 1 + chance.below(chance.of([4, 40, 4000])));
    const times = chance.below(chance.of([4, 100, 1 + Math.ceil(maxCharacters / piece.length || 1)]));
    return (text.slice(0, from) + piece.repeat(times) + text.slice(from)).slice(0, maxCharacters);
  },
];

/** Mutations after which most files still parse, so that the properties of profiles are checked too. */
const gentleMutations: readonly Mutation[] = [
  ({ text, files, chance }) =>
    inLines(text, (lines) => lines.splice(chance.below(lines.length), 0, chance.of(chance.of(files).split("\n")))),
  ({ text, chance }) => inLines(text, (lines) => lines.splice(chance.below(lines.length), 0, chance.of(lines))),
  ({ text, chance }) => inLines(text, (lines) => lines.splice(chance.below(lines.length), 1)),
  ({ text, chance }) => inLines(text, (lines) => lines.splice(chance.below(lines.length), 0, chance.of(harmless))),
  ({ text, chance }) =>
    inLines(text, (lines) => {
      const at = chance.below(lines.length);
      lines[at] = chance.of([` ${lines[at]}`, `${lines[at]}\t`, `${lines[at]} # up`, `${lines[at]}\r`]);
    }),
  ({ text, chance }) => {
    const line = chance.of(text.split("\n"));
    return `${text}\n${line}`;
  },
  ({ text, files, chance }) => `${text}\n${chance.of(files).replace("\uFEFF", "")}`,
  ({ text, chance }) => {
    const at = chance.below(text.length);
    const digit = chance.of(Array.from("0123456789abcdefXYZ"));
    return /[0-9a-z]/i.test(text[at]!) ? text.slice(0, at) + digit + text.slice(at + 1) : text;
  },
];

function inLines(text: string, change: (lines: string[]) => void): string {
  const lines = text.split("\n");
  change(lines);
  return lines.join("\n");
}

const harmless = String.raw`verify-x509-name "a # b\" name
verify-x509-name 'x ; "y' subject
verify-x509-name "Zürich "1"" name-prefix
remote 2001:db8::7 443 tcp
remote [2001:DB8::8]
remote-cert-ku 80 a0
tls-cipher "DEFAULT:@SECLEVEL=0"
setenv opt reneg-sec 0
auth 'SHA256'
--mssfix 1400
AllowedIPs = 10.1.2.3/8, ::1
Address = ::ffff:10.0.0.1/120
Address = fd00::1/64
DNS = search.example, 10.0.0.1
MTU = 1400
Endpoint = [2001:db8::1]:1
PersistentKeepalive = off
# comment`.split("\n");

/** One per line, so that they can be read. */
const hostileLines = String.raw`up /bin/sh
--up /bin/sh
"up" x
'up' x
u\p x
UP x
setenv opt up x
setenv opt setenv opt up x
plugin x.so
script-security 2
config /etc/x
cd /
ca ../../etc/shadow
<up>
</up>
<ca>
</ca>
<connection>
</connection>
<auth-user-pass>
</auth-user-pass>
<__proto__>
__proto__ x
constructor
auth-user-pass x
remote ::1
remote [::1]:1
verify-x509-name "a # b\\" name
verify-x509-name 'x ; "y' subject
verify-x509-name "" name
auth ""
PostUp = id
postup=id
[Interface]
[Peer]
[ peer ]
[__proto__]
__proto__ = 1
toString = 1
PublicKey =
Endpoint=:1
AllowedIPs = ,,
Address = ::ffff:10.0.0.1/120
DNS = a.b.
MTU=0576
MTU = 576
AllowedIPs = ::ffff:0.0.0.0/96`.split("\n");

const oddCharacters = Array.from("\0\r\u2028\u0085\uFEFF\uFFFD\u202E\u00A0\t\v\\\"'#;=<>\n ");

const hostile = hostileLines.concat(
  oddCharacters,
  "\r\n",
  "\uD800",
  ",".repeat(1000),
  " ".repeat(100_000),
  "a".repeat(100_000),
  "<a>\n</a>\n".repeat(9000),
  "x=\n".repeat(60_000),
  "[Peer]\n".repeat(300),
  "[".repeat(50_000),
  "\t#".repeat(50_000),
  "1.".repeat(40_000),
  ":".repeat(100_000),
  "0:".repeat(50_000),
  "\\\\".repeat(300),
  `<ca>\n${"-----BEGIN ".repeat(9000)}\n</ca>`,
);

/** From the grammar, for what no corpus file contains. */
function written(format: Format, chance: Chance): string {
  const lines = Array.from({ length: 1 + chance.below(30) }, () => line(format, chance));
  const opening = format === "wireguard" ? ["[Interface]", "Address = 10.0.0.2"] : ["client", "remote vpn.example.net"];
  return [...opening, ...lines].join(chance.of(["\n", "\r\n"]));
}

function line(format: Format, chance: Chance): string {
  const value = () => chance.of(values);
  if (format === "wireguard")
    return chance.below(5) === 0 ? chance.of(["[Peer]", "[Interface]", "# x", ""]) : `${chance.of(keys)} = ${value()}`;
  const words = Array.from({ length: chance.below(4) }, value);
  return [chance.of(directives), ...words].join(chance.of([" ", "\t", "  "]));
}

const keys =
  "PrivateKey ListenPort FwMark Address DNS MTU Table SaveConfig PostUp PublicKey PresharedKey AllowedIPs Endpoint PersistentKeepalive".split(
    " ",
  );

const directives = (
  "remote port rport proto proto-force auth-user-pass cipher data-ciphers auth verify-x509-name remote-cert-tls reneg-sec " +
  "tun-mtu mssfix fragment key-direction compress comp-lzo ping keepalive tls-cipher tls-version-min setenv up dev route " +
  "ignore-unknown-option ca peer-fingerprint remote-cert-ku resolv-retry topology script-security ncp-ciphers"
).split(" ");

const values = [
  ..."0 1 25 off 576 1280 65535 65536 -1 1e3 0x10 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA= 10.0.0.1 10.0.0.1/24".split(
    " ",
  ),
  ..."0.0.0.0/0 ::/0 2001:db8::1 [2001:db8::1]:51820 vpn.example.net:51820 198.51.100.1:1 a.b,c.d udp tcp udp6".split(
    " ",
  ),
  ...'tcp-server AES-256-GCM AES-256-GCM:none server client 1.2 SHA256 yes opt up no infinite subnet \'a\\b\' "q\\""'.split(
    " ",
  ),
  Array.from({ length: 32 }, () => "aB").join(":"),
];
