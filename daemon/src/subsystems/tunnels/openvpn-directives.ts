import { type ReasonCode } from "@portcullis/contract/reasons";
import { because, type Reason } from "@portcullis/contract/reason";
import { nearest } from "@portcullis/contract/nearest";

/** The treatment of a directive of an `.ovpn`. Only directives in the list `kept` reach OpenVPN. */
export type Verdict =
  | { readonly kind: "kept"; readonly note: Reason | null }
  | { readonly kind: "dropped"; readonly note: Reason }
  | { readonly kind: "refused"; readonly problem: string }
  | { readonly kind: "unknown" };

/** Why a directive has no effect here. */
export type LeftOut = Extract<ReasonCode, `left_out_${string}`>;

export const leftOut = (directive: string, why: LeftOut): Reason =>
  because("import_left_out", { directive, why: because(why) });

export function classify(name: string, args: readonly string[]): Verdict {
  const shape = kept.get(name);
  if (shape) return classifyArguments(name, args, shape);
  const dropping = dropped.get(name);
  if (dropping) return { kind: "dropped", note: leftOut(name, dropping) };
  const why = refused.get(name) ?? refused.get(name.toLowerCase());
  if (why) return { kind: "refused", problem: `${name.toLowerCase()} is refused: ${why}.` };
  return { kind: "unknown" };
}

/** The search for a similar name is slow, so that it runs only for reported directives. */
export function problemOfUnknown(name: string): string {
  const meant = nearest(name, knownDirectives);
  return `${shownName(name)} is unknown${meant ? `. Did you mean ${meant}?` : " to OpenVPN 2.6."}`;
}

/** A word in the form of a directive may be quoted; anything else could be a secret whose block lost its tag. */
const shownName = (name: string): string =>
  /^[a-z][a-z-]{1,29}$/.test(name) ? `The directive ${name}` : "This directive";

export const isKept = (name: string): boolean => kept.has(name);

function classifyArguments(
  name: string,
  args: readonly string[],
  { minArguments, shapes, note, limit }: Shape,
): Verdict {
  const fits =
    args.length >= minArguments && args.length <= shapes.length && args.every((arg, index) => shapes[index]!.test(arg));
  if (!fits) return { kind: "refused", problem: `${name} has arguments that OpenVPN 2.6 does not accept.` };
  const weakness = limit?.(args);
  return weakness ? { kind: "refused", problem: weakness } : { kind: "kept", note: note?.(args) ?? null };
}

interface Shape {
  readonly minArguments: number;
  readonly shapes: readonly RegExp[];
  readonly note?: (args: readonly string[]) => Reason | null;
  /** Why valid arguments are refused nevertheless. */
  readonly limit?: (args: readonly string[]) => string | undefined;
}

const number = /^\d{1,9}$/;
const algorithm = /^[A-Za-z0-9][A-Za-z0-9_./-]{0,63}$/;
const algorithms = /^[A-Za-z0-9?][A-Za-z0-9_.?/:-]{0,199}$/;
const cipherString = /^[A-Za-z0-9!+@=][A-Za-z0-9_.:!+@=-]{0,219}$/;
const tlsVersion = /^1\.[0-3]$/;
const hexNumber = /^(?:0x)?[0-9A-Fa-f]{1,8}$/;
const fingerprint = /^(?:[0-9A-Fa-f]{2}:){31}[0-9A-Fa-f]{2}$/;
const hash = /^(?:[0-9A-Fa-f]{2}:){19,31}[0-9A-Fa-f]{2}$/;
/** The subject of a certificate: visible characters on one line. */
const subject = /^[^\p{C}\p{Zl}\p{Zp}]{1,200}$/u;

const takes = (minArguments: number, ...shapes: readonly RegExp[]): Shape => ({ minArguments, shapes });
const alone = takes(0);
const seconds = takes(1, number);

/** Without a method, or with `no` and similar, packets only have a header for compression. */
const compresses =
  (name: string) =>
  ([method = name === "compress" ? "stub" : "adaptive"]: readonly string[]): Reason | null =>
    /^(?:no|stub|stub-v2|migrate)$/.test(method) ? null : because("import_compresses", { directive: name });
const encrypts =
  (name: string) =>
  (args: readonly string[]): string | undefined =>
    args.some((arg) => arg.split(":").some((cipher) => /^\??(?:none|null)$/i.test(cipher)))
      ? `${name} is refused: with the cipher none, packets would cross the Internet in the clear.`
      : undefined;

const kept: ReadonlyMap<string, Shape> = new Map(
  Object.entries<Shape>({
    client: alone,
    "allow-compression": { ...takes(1, /^(?:no|asym|yes)$/), note: compresses("allow-compression") },
    auth: takes(1, algorithm),
    "auth-nocache": alone,
    "auth-retry": takes(1, /^(?:none|nointeract)$/),
    cipher: { ...takes(1, algorithm), limit: encrypts("cipher") },
    "comp-lzo": { ...takes(0, /^(?:yes|no|adaptive)$/), note: compresses("comp-lzo") },
    "comp-noadapt": alone,
    "compat-mode": takes(1, /^2\.\d{1,2}\.\d{1,3}$/),
    compress: { ...takes(0, /^(?:lzo|lz4|lz4-v2|stub|stub-v2|migrate)$/), note: compresses("compress") },
    "connect-retry": takes(1, number, number),
    "connect-retry-max": takes(1, /^(?:\d{1,9}|unlimited)$/),
    "connect-timeout": seconds,
    "data-ciphers": { ...takes(1, algorithms), limit: encrypts("data-ciphers") },
    "data-ciphers-fallback": { ...takes(1, algorithm), limit: encrypts("data-ciphers-fallback") },
    "ecdh-curve": takes(1, algorithm),
    "explicit-exit-notify": takes(0, number),
    "fast-io": alone,
    float: alone,
    fragment: takes(1, number, /^mtu$/),
    "hand-window": seconds,
    keepalive: takes(2, number, number),
    "key-direction": takes(1, /^[01]$/),
    "link-mtu": takes(1, number),
    mssfix: takes(0, number, /^(?:mtu|fixed)$/),
    "mtu-disc": takes(1, /^(?:no|maybe|yes)$/),
    "mute-replay-warnings": alone,
    nobind: alone,
    "ns-cert-type": takes(1, /^server$/),
    "peer-fingerprint": takes(1, fingerprint),
    ping: seconds,
    "ping-exit": seconds,
    "ping-restart": seconds,
    "ping-timer-rem": alone,
    rcvbuf: takes(1, number),
    "remote-cert-eku": takes(1, /^[A-Za-z0-9][A-Za-z0-9 .-]{0,99}$/),
    "remote-cert-ku": takes(0, ...Array.from({ length: 8 }, () => hexNumber)),
    "remote-cert-tls": {
      ...takes(1, /^(?:server|client)$/),
      limit: ([role]) =>
        role === "client"
          ? "remote-cert-tls client is refused: every other customer could impersonate the server."
          : undefined,
    },
    "remote-random": alone,
    "reneg-bytes": takes(1, number),
    "reneg-pkts": takes(1, number),
    "reneg-sec": takes(1, number, number),
    "replay-window": takes(1, number, number),
    "resolv-retry": takes(1, /^(?:\d{1,9}|infinite)$/),
    "server-poll-timeout": seconds,
    sndbuf: takes(1, number),
    "socket-flags": takes(1, /^TCP_NODELAY$/),
    "tls-cert-profile": takes(1, /^(?:insecure|legacy|preferred|suiteb)$/),
    "tls-cipher": { ...takes(1, cipherString), limit: encrypts("tls-cipher") },
    "tls-ciphersuites": takes(1, cipherString),
    "tls-groups": takes(1, algorithms),
    "tls-timeout": seconds,
    "tls-version-max": takes(1, tlsVersion),
    "tls-version-min": takes(1, tlsVersion, /^or-highest$/),
    topology: takes(1, /^(?:net30|p2p|subnet)$/),
    "tran-window": seconds,
    "tun-mtu": takes(1, number, number),
    "tun-mtu-extra": takes(1, number),
    "verify-hash": takes(1, hash, /^(?:SHA1|SHA256)$/i),
    "verify-x509-name": takes(1, subject, /^(?:subject|name|name-prefix)$/),
    "x509-username-field": takes(1, /^(?:ext:)?[A-Za-z0-9.]{1,60}$/),
  }),
);

const dropped: ReadonlyMap<string, LeftOut> = reasons<LeftOut>({
  left_out_routes:
    "route route-ipv6 route-gateway route-ipv6-gateway route-metric route-delay route-method route-nopull " +
    "route-noexec redirect-gateway redirect-private pull-filter max-routes allow-recursive-routing block-ipv6 " +
    "client-nat mark passtos allow-pull-fqdn",
  left_out_dns:
    "dhcp-option dns block-outside-dns register-dns dhcp-renew dhcp-release dhcp-pre-release remote-random-hostname",
  left_out_interface:
    "dev dev-type dev-node tun-ipv6 ifconfig-nowarn ifconfig-noexec lladdr txqueuelen windows-driver ip-win32 " +
    "tap-sleep win-sys disable-dco enable-dco bind-dev bind local lport multihome",
  left_out_process:
    "persist-key persist-tun persist-local-ip persist-remote-ip user group chroot setcon daemon nice mlock service " +
    "pause-exit allow-nonadmin show-net-up remap-usr1 up-delay down-pre inactive session-timeout shaper mtu-test " +
    "tcp-queue-limit tun-max-mtu bcast-buffers single-session tls-exit",
  left_out_log:
    "log log-append syslog verb mute suppress-timestamps errors-to-stderr machine-readable-output echo parameter " +
    "status-version x509-track keying-material-exporter",
  left_out_management:
    "management management-client management-client-user management-client-group management-client-auth " +
    "management-query-passwords management-query-proxy management-query-remote management-hold management-signal " +
    "management-forget-disconnect management-log-cache management-up-down",
  left_out_hardware: "push-peer-info",
  left_out_obsolete:
    "key-method no-iv keysize ncp-disable prng use-prediction-resistance disable-occ opt-verify auth-token-user",
  left_out_tls_client: "tls-client pull",
});

const command = "it would run a program on the gateway";
const aFile = "it would read or write files of the gateway";

const refused: ReadonlyMap<string, string> = reasons({
  [command]:
    "up down up-restart route-up route-pre-down ipchange tls-verify tls-crypt-v2-verify client-connect " +
    "client-disconnect client-crresponse learn-address auth-user-pass-verify plugin iproute",
  [aFile]:
    "config cd writepid status askpass replay-persist tmp-dir capath tls-export-cert http-proxy-user-pass memstats " +
    "genkey auth-gen-token-secret",
  "keys come from the file itself, not from other programs or devices":
    "management-external-key management-external-cert engine providers pkcs11-providers pkcs11-id pkcs11-id-management " +
    "pkcs11-cert-private pkcs11-pin-cache pkcs11-private-mode pkcs11-protected-authentication cryptoapicert",
  "it would make the gateway a server, and the tunnel must be a client":
    "server server-ipv6 server-bridge tls-server push push-reset push-remove client-config-dir ccd-exclusive " +
    "client-to-client duplicate-cn ifconfig-pool ifconfig-ipv6-pool ifconfig-pool-persist ifconfig-pool-linear " +
    "ifconfig-push ifconfig-ipv6-push iroute iroute-ipv6 max-clients max-routes-per-client connect-freq " +
    "connect-freq-initial hash-size stale-routes-check port-share auth-gen-token auth-user-pass-optional " +
    "username-as-common-name verify-client-cert client-cert-not-required vlan-tagging vlan-accept vlan-pvid " +
    "tcp-nodelay dh disable management-client-pf force-tls-key-material-export inetd",
  "chains are configured by policies, so that the gateway knows every hop":
    "http-proxy http-proxy-option http-proxy-retry http-proxy-timeout socks-proxy socks-proxy-retry",
  "only TLS is accepted, because a static key has no forward secrecy": "secret",
  "it disables a protection of OpenVPN": "no-replay",
  "its name is verify-x509-name since OpenVPN 2.4": "tls-remote",
  "the server assigns the addresses": "ifconfig ifconfig-ipv6",
  "no user can answer its challenge": "static-challenge",
  "the server assigns it": "auth-token",
  "it is a command and not a setting":
    "help version show-ciphers show-digests show-tls show-engines show-gateway show-groups show-curves show-pkcs11-ids " +
    "show-adapters show-net show-valid-subnets mktun rmtun test-crypto gremlin",
});

/** Handled by openvpn-conf.ts itself, because they define other parts of the profile or depend on their arguments. */
const specialDirectives = [
  ..."remote port rport proto proto-force auth-user-pass script-security setenv setenv-safe mode".split(" "),
  ..."ignore-unknown-option ncp-ciphers".split(" "),
];

export const fileDirectives = "ca cert key tls-auth tls-crypt tls-crypt-v2 pkcs12 extra-certs crl-verify".split(" ");

const knownDirectives = [
  ...[kept, dropped, refused].flatMap((directives) => [...directives.keys()]),
  ...specialDirectives,
  ...fileDirectives,
];

function reasons<W extends string>(lists: Readonly<Partial<Record<W, string>>>): ReadonlyMap<string, W> {
  const all = Object.entries(lists) as [W, string][];
  return new Map(all.flatMap(([why, names]) => names.split(" ").map((name) => [name, why] as const)));
}
