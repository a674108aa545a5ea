import { closed } from "@portcullis/contract/collection";
import { roles } from "@portcullis/contract/role";
import { Name, OneOf } from "@portcullis/contract/values";
import Type, { type Static, type TProperties } from "typebox";

/**
 * Every key of the bootstrap file: format, default and description. Validation, `GET /settings` and the
 * packaged example are derived from it. `x-expects` completes the message "must be …".
 */
export const BootstrapKeys = closed({
  listen: section("Addresses of the API and the web interface", {
    api_addr: listenAddress("Address and port of the API and the web interface", "127.0.0.1:8080"),
    hosts: Type.Array(hostName(), {
      default: [],
      examples: [["gateway.lan"]],
      maxItems: 64,
      uniqueItems: true,
      description: "Host names, besides localhost and its addresses, that browsers may use for the gateway",
    }),
    unix_socket: Type.String({
      format: "path-or-none",
      default: "/run/portcullis/api.sock",
      description: 'Unix socket on which root is admin without a credential; it follows paths.run, "" for none',
      "x-expects": 'a path of at most 100 characters, or "" for none',
    }),
  }),
  log: section("Log of the daemon on standard output", {
    level: choice("Minimum severity", ["debug", "info", "warn", "error"], "info"),
  }),
  network: section("Network interfaces of the gateway", {
    mode: choice(
      "Role of the gateway in its network; only primary is supported yet",
      ["primary", "embedded", "portable"],
      "primary",
    ),
    wan_iface: interfaceName(
      "Interface towards the Internet, as `ip link` lists it; nothing is enforced while it does not exist",
      "eth0",
    ),
    lan_iface: interfaceName(
      "Interface towards the protected devices; nothing is enforced while it does not exist",
      "eth1",
    ),
    more_lan_ifaces: Type.Array(interfaceName("Interface towards more devices"), {
      default: [],
      examples: [["eth1.10", "wlan0"]],
      maxItems: 64,
      uniqueItems: true,
      description: "More interfaces towards protected devices, such as VLANs and a wireless network",
    }),
    lan_address: Type.String({
      format: "lan-address-or-none",
      default: "",
      description:
        'The gateway\'s address on lan_iface, which the gateway sets itself; "" if another program of the machine sets it',
      "x-expects": 'an IPv4 address with the length of its network, such as 192.168.50.1/24, or "" for none',
    }),
    uplink_ports: Type.Array(Type.Integer({ minimum: 1, maximum: 65_535 }), {
      default: [],
      examples: [[22]],
      maxItems: 64,
      uniqueItems: true,
      description: "TCP ports of the gateway that are reachable from the Internet; the guard blocks all others",
    }),
    default_egress: choice("Egress of traffic that no policy matches", ["direct", "block"], "direct"),
  }),
  dns: section("The DNS resolver for devices", {
    enabled: flag("Whether the gateway runs a resolver", true),
    listen_addr: listenAddress("Address and port of the resolver", "0.0.0.0:53"),
    upstream_servers: Type.Array(ipAddress(), {
      default: [],
      examples: [["9.9.9.9", "2620:fe::fe"]],
      maxItems: 32,
      uniqueItems: true,
      description: "Upstream resolvers, as bare IP addresses",
    }),
    upstream_mode: choice("Protocol of the upstream resolvers", ["plain", "doh", "dot"], "plain"),
    backend: choice(
      "Whether the daemon's own engines filter, or an external program",
      ["integrated", "extfilter"],
      "integrated",
    ),
    filtering_enabled: flag("Whether the daemon's own filter chain applies", true),
    ca_file: Type.Optional(
      filePath("Certificate authorities for upstream resolvers, in PEM; the system's unless given", {
        examples: ["/etc/portcullis/issuers.pem"],
      }),
    ),
    trust_anchors: Type.Array(trustAnchor(), {
      default: [],
      examples: [["example.internal. DS 12345 8 2 9D7A6C1B0F3E5D2C4B6A8F0E1D3C5B7A9F8E7D6C5B4A39281706F5E4D3C2B1A0"]],
      maxItems: 32,
      description: "DS or DNSKEY records as trust anchors of DNSSEC; those of the root unless given",
    }),
  }),
  captive: section("Detection of captive portals; the gateway sends a probe on request only", {
    check_url: Type.String({
      maxLength: 512,
      pattern: "^http://[\\x21-\\x7e]+$",
      default: "http://detectportal.firefox.com/success.txt",
      description: "Probe URL, plain HTTP, with known content",
      "x-expects": "an address such as http://detectportal.firefox.com/success.txt",
    }),
    check_answer: Type.String({
      maxLength: 512,
      default: "success",
      description: "Expected content, without surrounding white space",
      "x-expects": "at most 512 characters",
    }),
  }),
  dhcp: section("DHCP server for the LAN", {
    enabled: flag("Whether the gateway assigns addresses; not supported yet, must be false", false),
  }),
  auth: section("Authentication and authorization of API requests", {
    enabled: flag("Whether requests need a credential; false: every request has the role admin", false),
    api_keys: Type.Array(apiKey(), {
      default: [],
      examples: [[{ key: "<openssl rand -hex 32>", role: "viewer", name: "dashboard" }]],
      maxItems: 256,
      description: "API keys: the key alone (role admin), or a map with key, role and name",
      "x-secret": true,
      "x-expects": "a list of at most 256 keys",
    }),
    local_net: Type.String({
      format: "cidr-or-none",
      default: "127.0.0.0/8",
      description: 'Range whose clients may read without a credential; "" for none',
      "x-expects": 'a range such as 192.168.1.0/24 or fd00::/8, or "" for none',
    }),
  }),
  tls: section("Encryption of the API and the web interface", {
    enabled: flag(
      "Whether the daemon serves HTTPS, with the given files or a self-signed certificate; without this line, if api_addr is beyond loopback",
      false,
    ),
    cert_file: Type.Optional(
      filePath("Certificate chain in PEM, leaf first", { examples: ["/etc/portcullis/tls.crt"] }),
    ),
    key_file: Type.Optional(
      filePath("Private key of the certificate in PEM", { examples: ["/etc/portcullis/tls.key"] }),
    ),
  }),
  reconcile: section("Comparison of the kernel with the published state", {
    interval_sec: count("Seconds between two comparisons", { default: 60, minimum: 5, maximum: 86_400 }),
  }),
  dataplane: section("Control of the kernel", {
    enabled: flag("Whether the engines run; false: the daemon compiles and serves the API, and changes nothing", true),
    confirm_first_sec: count(
      "Seconds until the first enforcement on a machine is reverted unless it is confirmed from the network; 0: no confirmation is needed",
      { default: 120, minimum: 0, maximum: 3600 },
    ),
  }),
  paths: section("Folders of the daemon", {
    state: filePath("Persistent state", { default: "/var/lib/portcullis" }),
    run: filePath("Runtime files", { default: "/run/portcullis" }),
    lists: filePath("Folder of block lists; list files outside of it are not read", {
      default: "/etc/portcullis/lists",
    }),
  }),
  limits: section("Limits", {
    requests_per_minute: count("Requests per credential or address", { default: 3000, maximum: 1_000_000 }),
    logins_per_minute: count("Logins and setups per address", { default: 10, maximum: 10_000 }),
    body_bytes: count("Bytes of a request body", { default: 1_048_576, maximum: 67_108_864 }),
    request_timeout_sec: count("Seconds a request may take to arrive", { default: 30, maximum: 600 }),
    snapshots_kept: count("Published states that are kept, in addition to pinned ones", {
      default: 200,
      maximum: 100_000,
    }),
    audit_entries_kept: count("Audit entries that are kept", { default: 100_000, maximum: 10_000_000 }),
    event_streams: count("Concurrent event streams", { default: 32, maximum: 10_000 }),
  }),
});

/** The parsed file: every default filled in, every path absolute. */
export type Bootstrap = DeepReadonly<Static<typeof BootstrapKeys>>;

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;

/** The schema of a key, as this folder uses it. */
export interface KeySchema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, KeySchema>>;
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly "x-secret"?: boolean;
  readonly "x-expects"?: string;
}

export interface Key {
  readonly section: string;
  readonly name: string;
  /** `listen.api_addr` */
  readonly dotted: string;
  readonly schema: KeySchema;
}

export const sections: Readonly<Record<string, KeySchema>> = BootstrapKeys.properties as Record<string, KeySchema>;

export const keys: readonly Key[] = Object.entries(sections).flatMap(([section, { properties = {} }]) =>
  Object.entries(properties).map(([name, schema]) => ({ section, name, dotted: `${section}.${name}`, schema })),
);

function section<const P extends TProperties>(description: string, properties: P) {
  return Type.Object(properties, { description, default: {}, additionalProperties: false });
}

function flag(description: string, byDefault: boolean) {
  return Type.Boolean({ default: byDefault, description });
}

function choice<const W extends readonly string[]>(description: string, words: W, byDefault: W[number]) {
  return OneOf(words, { default: byDefault, description });
}

function count(description: string, bounds: { default: number; minimum?: number; maximum: number }) {
  return Type.Integer({ minimum: 1, ...bounds, description });
}

function listenAddress(description: string, byDefault: string) {
  return Type.String({
    format: "listen-address",
    default: byDefault,
    description,
    "x-expects": "an address and a port such as 127.0.0.1:8080 or [::1]:8080",
  });
}

function interfaceName(description: string, byDefault?: string) {
  return Type.String({
    format: "interface",
    ...(byDefault !== undefined && { default: byDefault }),
    description,
    "x-expects": "an interface name of 1 to 15 characters without spaces, slashes, colons, stars or quotation marks",
  });
}

function hostName() {
  return Type.String({ format: "host-name", "x-expects": "a host name such as gateway.lan" });
}

function ipAddress() {
  return Type.String({ format: "ip-address", "x-expects": "a bare IP address such as 9.9.9.9 or 2620:fe::fe" });
}

function trustAnchor() {
  return Type.String({
    maxLength: 4096,
    pattern: "^[A-Za-z0-9._-]+[ \\t]+([0-9]+[ \\t]+)?(IN[ \\t]+)?(DS|DNSKEY)[ \\t]+[A-Za-z0-9+/= \\t]+$",
    "x-expects": "a DS or DNSKEY record, as in a zone file",
  });
}

function filePath(description: string, more: { default: string } | { examples: string[] }) {
  return Type.String({
    format: "path",
    description,
    ...more,
    "x-expects": "a path, absolute or from this file's folder",
  });
}

function apiKey() {
  return Type.Object(
    {
      key: Type.String({
        minLength: 16,
        maxLength: 512,
        pattern: "^[\\x21-\\x7e]+$",
        "x-secret": true,
        "x-expects": "16 characters or more, without spaces (in quotes if they are all digits)",
      }),
      role: choice("Role of the key", roles, "admin"),
      name: Name,
    },
    {
      additionalProperties: false,
      "x-secret": true,
      "x-expects": "a key in quotes, or a map with key, role and name",
    },
  );
}
