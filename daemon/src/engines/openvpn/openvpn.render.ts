import type { OpenvpnClient } from "./openvpn.model.ts";

/** The configuration of OpenVPN. It contains keys; credentials are requested through the management socket. */
export function renderClient(client: OpenvpnClient, managementSocket: string): string {
  const { remotes, directives, blocks, credentials, mark, mtu } = client;
  const lines = [
    ["dev", client.interface],
    ["dev-type", "tun"],
    ["client"],
    ["nobind"],
    ["mark", String(mark >>> 0)],
    ...remotes.map(({ address, port, protocol }) => [
      "remote",
      address,
      String(port),
      protocol === "tcp" ? "tcp-client" : "udp",
    ]),
    // Routes, resolvers and sizes are decided here, whatever the server pushes. Addresses are validated and set by the daemon.
    ["route-nopull"],
    ["route-noexec"],
    ["ifconfig-noexec"],
    ...accepted.map((beginning) => ["pull-filter", "accept", beginning]),
    ["pull-filter", "ignore", ""],
    ["tun-mtu", String(mtu)],
    // It starts no program, and keeps its interface while it connects again.
    ["script-security", "0"],
    ["persist-tun"],
    ["persist-key"],
    ["disable-dco"],
    ["management", managementSocket, "unix"],
    ...(credentials ? [["auth-user-pass"], ["management-query-passwords"]] : []),
    ["auth-retry", "nointeract"],
    // Its own pauses grow to minutes. A server that is back should be found within seconds.
    ["connect-retry", "1", "2"],
    ["connect-timeout", "4"],
    // One step more would write the name that is sent through the management socket into the log.
    ["verb", "2"],
    ["mute", "20"],
    ...pings(directives),
    ...directives.filter(isHarmless).map(({ name, args }) => [name, ...args]),
  ];
  const inline = Object.entries(blocks)
    .filter(([tag, text]) => inlined.has(tag) && !text.includes(`</${tag}>`))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([tag, text]) => [`<${tag}>`, text.trim(), `</${tag}>`]);
  return `${[...lines.map((words) => words.map(quoted).join(" ")), ...inline].join("\n")}\n`;
}

/**
 * Beginnings of what the server may push: what both ends must agree on, keepalives and addresses. Everything else is ignored,
 * such as routes, resolvers, the MTU, and how much is logged, by which passwords would get into the log.
 */
const accepted = [
  "ifconfig ",
  "ifconfig-ipv6 ",
  "topology ",
  "peer-id ",
  "cipher ",
  "key-derivation ",
  "protocol-flags ",
  "auth-token",
  "push-continuation ",
  "ping ",
  "ping-restart ",
  "explicit-exit-notify",
  "compress",
  "comp-lzo",
  "sndbuf ",
  "rcvbuf ",
];

/** Without keepalive in the profile, a silent server is noticed after fifteen seconds. */
const pings = (directives: OpenvpnClient["directives"]): string[][] =>
  directives.some(({ name }) => ["ping", "ping-restart", "ping-exit", "keepalive"].includes(name))
    ? []
    : [
        ["ping", "5"],
        ["ping-restart", "15"],
      ];

/**
 * Profiles were checked when they were read. This is the second check: directives from above are not repeated, and
 * no directive may start a program, read or write a file, change routes, or make the tunnel wait for
 * interactive input.
 */
const isHarmless = ({ name, args }: OpenvpnClient["directives"][number]): boolean =>
  isWord(name) && !reserved.test(name) && args.every((it) => !/[\p{Cc}\u2028\u2029]/u.test(it));

const reserved = new RegExp(
  `^(?:${[
    "dev(?:-.*)?|client|mode|server(?:-bridge|-ipv6)?|nobind|bind.*|local|lport|mark|remote|proto|port|rport|multihome|lladdr",
    "tun-mtu.*|tls-client|tls-server|pull.*|http-proxy.*|socks-proxy.*|connection",
    "route.*|redirect-.*|dhcp-.*|dns|block-.*|register-dns|iproute|ip-win32|allow-pull-fqdn|ifconfig(?:-.*)?",
    "script-security|up.*|down.*|ipchange|learn-address|client-.*|tls-verify|auth-user-pass.*|plugin|setenv.*|x509-track",
    "persist-.*|disable-dco|enable-dco|management.*|auth-retry|auth-nocache|connect-retry.*|remap-usr1|verb|mute.*|echo",
    "config|cd|chroot|user|group|daemon|log.*|syslog|status.*|writepid|tmp-dir|askpass|replay-persist|tls-export-cert",
    "ca|capath|cert|key|pkcs12|extra-certs|crl-verify|dh|secret|tls-auth|tls-crypt.*|engine|providers|pkcs11-.*",
    "inetd|nice|mlock|genkey|mktun|rmtun|test-crypto|show-.*",
  ].join("|")})$`,
);

/** Everything else that OpenVPN takes in brackets could say more than a key or a certificate. */
const inlined = new Set(
  "ca cert key extra-certs crl-verify tls-auth tls-crypt tls-crypt-v2 pkcs12 peer-fingerprint".split(" "),
);

const isWord = (text: string): boolean => /^[a-z0-9][a-z0-9-]*$/.test(text);

const quoted = (word: string): string =>
  /^[\w.:/-]+$/.test(word) ? word : `"${word.replaceAll(/[\\"]/g, String.raw`\$&`)}"`;
