import Type, { type Static } from "typebox";
import { closed, collection, optionals } from "../collection.ts";
import { endpoint } from "../endpoint.ts";
import {
  CountersAt,
  DiscardedSecrets,
  Id,
  IdOrName,
  IpAddress,
  Name,
  named,
  Nullable,
  OneOf,
  reasonFields,
  secret,
  sentencesFields,
  Timestamp,
} from "../values.ts";

const TunnelType = OneOf(["wireguard", "openvpn"]);

/** Status of a tunnel. Only `up` and `degraded` forward packets. */
export const tunnelStatuses = ["down", "connecting", "up", "degraded", "failed"] as const;
const TunnelStatus = OneOf(tunnelStatuses, {
  description:
    "down: disabled or not running; connecting: no probe answered yet; up: forwards packets; degraded: with loss; failed: does not forward packets",
});

export const InterfaceName = Type.String({
  maxLength: 15,
  pattern: "^[a-z0-9][a-z0-9._-]{0,14}$",
  description: "Interface name in the kernel",
});
const WireguardKey = Type.String({
  maxLength: 44,
  pattern: "^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$",
  description: "32 bytes in base64",
});
const SecretKey = { ...WireguardKey, description: "32 bytes in base64; write-only", ...secret() };
const HostPort = Type.String({
  maxLength: 260,
  pattern: "^(\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9_.-]+):[0-9]{1,5}$",
  description: "Host and port; an IPv6 address in brackets",
});
const Network = Type.String({ minLength: 1, maxLength: 49, description: "Address or network, such as 10.2.0.0/16" });
const KeepaliveSec = Type.Integer({ minimum: 0, maximum: 65_535, description: "Seconds; 0: off" });
const Port = Type.Integer({ minimum: 1, maximum: 65_535 });

const wireguardFields = {
  addresses: Type.Array(Network, { maxItems: 16, description: "The gateway's own addresses in the tunnel" }),
  dns: Type.Array(Type.String({ maxLength: 253 }), { maxItems: 16, description: "Resolvers of the tunnel's provider" }),
  listen_port: Nullable({ ...Port, description: "UDP port; null: chosen by the kernel" }),
};
const Remote = closed({
  host: Type.String({ minLength: 1, maxLength: 253, pattern: "^[A-Za-z0-9_.:-]+$", description: "Name or address" }),
  port: Port,
  protocol: OneOf(["udp", "tcp"]),
});
const Directive = closed({
  name: Type.String({ maxLength: 64, pattern: "^[a-z0-9][a-z0-9-]*$" }),
  args: Type.Array(Type.String({ maxLength: 1024, pattern: "^\\P{Cc}*$" }), { maxItems: 16 }),
});
const openvpnFields = {
  remotes: Type.Array(Remote, { maxItems: 64, description: "Servers, tried in order" }),
  directives: Type.Array(Directive, {
    maxItems: 256,
    description: "Further directives of the file that are allowed",
  }),
};

export const WireguardConfig = named(
  "WireguardConfig",
  Type.Object({
    ...wireguardFields,
    public_key: { ...WireguardKey, description: "Derived from the private key" },
    peers: Type.Array(
      Type.Object({
        public_key: WireguardKey,
        endpoint: Nullable(HostPort),
        allowed_ips: Type.Array(Network),
        persistent_keepalive: KeepaliveSec,
        has_preshared_key: Type.Boolean(),
      }),
    ),
  }),
);
export type WireguardConfig = Static<typeof WireguardConfig>;

export const OpenvpnConfig = named(
  "OpenvpnConfig",
  Type.Object({
    remotes: Type.Array(Type.Object({ host: Type.String(), port: Type.Integer(), protocol: OneOf(["udp", "tcp"]) }), {
      description: "Servers, tried in order",
    }),
    directives: Type.Array(Type.Object({ name: Type.String(), args: Type.Array(Type.String()) })),
    blocks: Type.Record(Type.String(), Type.String(), { description: "Certificates: ca, cert and the like" }),
    secret_blocks: Type.Array(Type.String(), { description: "Names of the blocks that are stored as secrets" }),
    requires_credentials: Type.Boolean({ description: "Whether the server requires username and password" }),
    username: Nullable(Type.String()),
    has_password: Type.Boolean(),
  }),
);
export type OpenvpnConfig = Static<typeof OpenvpnConfig>;

/** As probe_target: no probes. */
export const noProbes = "none";

const settings = {
  enabled: Type.Boolean({ description: "Whether it should be up" }),
  mtu: Nullable(Type.Integer({ minimum: 576, maximum: 65_535, description: "Bytes; null: automatic" })),
  probe_target: Nullable(
    Type.Union([IpAddress, Type.Literal(noProbes)], {
      description:
        "Address that is probed through the tunnel; null: its remote end, and public servers if that does not answer; none: no probes, the state of the interface decides",
    }),
  ),
};

const storedFields = { id: Id, name: Name, type: TunnelType, interface: InterfaceName, ...settings };
const Stored = Type.Object(storedFields);
/** The published part of a tunnel: no status, and of its secrets only their reference. */
export type PublishedTunnel = Readonly<Static<typeof Stored>> & {
  /** One sealed value contains all secrets of a tunnel. */
  readonly secret: { readonly id: string; readonly version: number } | null;
} & TunnelConfig;

export type TunnelConfig =
  | { readonly type: "wireguard"; readonly config: WireguardConfig }
  | { readonly type: "openvpn"; readonly config: OpenvpnConfig };

/** The observed status of a tunnel. */
const statusFields = {
  status: TunnelStatus,
  healthy: Type.Boolean({ description: "Whether it passes its probe" }),
  ...reasonFields("Reason of the status, as a sentence"),
  since: Nullable({ ...Timestamp, description: "Start of this status" }),
  rtt_ms: Nullable(Type.Number({ description: "Round trip of the probe, in milliseconds" })),
  loss: Nullable(Type.Number({ description: "Share of lost probes, from 0 to 1" })),
  last_handshake: Nullable(Timestamp),
  tx_bytes: Type.Integer(),
  rx_bytes: Type.Integer(),
  counters_at: CountersAt,
  endpoint: Nullable(Type.String({ description: "Current address and port of the server" })),
};
const TunnelCondition = Type.Object(statusFields);
export type TunnelCondition = Readonly<Static<typeof TunnelCondition>>;

const fields = {
  ...storedFields,
  config: Type.Union([WireguardConfig, OpenvpnConfig]),
  ...statusFields,
  discarded_secrets: DiscardedSecrets,
};
export const Tunnel = named("Tunnel", Type.Object(fields));
export type Tunnel = Static<typeof Tunnel>;

const PeerInput = closed({
  public_key: WireguardKey,
  ...optionals({
    preshared_key: Nullable(SecretKey),
    endpoint: Nullable(HostPort),
    allowed_ips: Type.Array(Network, { maxItems: 256, description: "All networks unless given" }),
    persistent_keepalive: KeepaliveSec,
  }),
});
const Credential = Type.String({
  minLength: 1,
  maxLength: 1024,
  pattern: "^[^\\p{Cc}\\p{Cs}]+$",
  description: "Write-only",
  ...secret("remotes", "directives", "blocks"),
});

/** One schema for both types, so that errors name their field. The service checks which fields belong to which type. */
const ConfigInput = closed(
  optionals({
    private_key: { ...SecretKey, description: "wireguard: generated by the gateway unless given; write-only" },
    ...wireguardFields,
    peers: Type.Array(PeerInput, {
      maxItems: 64,
      description: "wireguard: a peer's pre-shared key is kept unless given",
    }),
    ...openvpnFields,
    blocks: Type.Record(
      Type.String({ pattern: "^[a-z0-9][a-z0-9-]{0,31}$" }),
      Nullable(Type.String({ maxLength: 65_536, ...secret() })),
      { maxProperties: 16, description: "openvpn: ca, cert, key, tls-crypt and others; null removes one" },
    ),
    username: Nullable(Type.String({ minLength: 1, maxLength: 1024, pattern: "^[^\\p{Cc}\\p{Cs}]+$" })),
    password: Nullable(Credential),
  }),
);
export type TunnelConfigInput = Static<typeof ConfigInput>;

const ConfigFile = Type.String({
  minLength: 1,
  maxLength: 262_144,
  description: "The whole file, as text",
  ...secret(),
});
const importing = optionals({ name: Name, interface: InterfaceName, ...settings });
const Imported = named(
  "ImportedTunnel",
  Type.Object({
    ...fields,
    ...sentencesFields("notes", "Directives of the file that were ignored, and what is missing"),
  }),
);
const importEndpoint = {
  method: "POST",
  role: "operator",
  result: Imported,
  status: 201,
  location: "/tunnels",
  errors: ["conflict", "limit_reached", "change_pending", "secrets_undecipherable"],
  audit: { verb: "import", noun: "tunnel" },
} as const;

const params = Type.Object({ id: IdOrName("tunnel") });
const acting = {
  method: "POST",
  role: "operator",
  params,
  result: Tunnel,
  errors: ["not_found", "change_pending"],
} as const;

const plain = collection({
  path: "/tunnels",
  noun: "tunnel",
  resource: Tunnel,
  required: { name: Name, type: TunnelType, config: ConfigInput },
  optional: { interface: InterfaceName, ...settings },
  filters: { type: TunnelType, enabled: Type.Boolean(), status: TunnelStatus },
  createErrors: ["in_use", "secrets_undecipherable"],
});

const Egress = named(
  "TunnelEgress",
  Type.Object({
    policy_id: Id,
    policy: Type.String(),
    outcome: OneOf(["egress", "split", "direct", "block", "next"], {
      description:
        "egress: through its hops; split: over several of them; direct: by the uplink; block: not forwarded; next: the next policy decides",
    }),
    hops: Type.Array(
      Type.Object({
        type: Type.String(),
        target: Type.String(),
        tunnel_id: Nullable(Id),
        status: Nullable(Type.String({ description: "null: unknown" })),
      }),
    ),
    tunnel_id: Nullable({ ...Id, description: "The tunnel that packets leave by; null: none" }),
    tunnel: Nullable(Type.String()),
    interface: Nullable(Type.String()),
    ...reasonFields("Reason of the outcome, as a sentence"),
    shadowed_by: Nullable({
      ...Id,
      description:
        "An earlier policy that matches all of its traffic, so that this one never decides; null: it is not shadowed",
    }),
  }),
);
export type TunnelEgress = Static<typeof Egress>;

export const tunnels = {
  ...plain,
  list: endpoint({
    ...plain.list,
    cli: { words: ["tunnels", "list"], columns: ["id", "name", "type", "status", "interface", "healthy"] },
  }),
  up: endpoint({
    ...acting,
    path: "/tunnels/{id}/up",
    summary: "Bring a tunnel up",
    description: "The response is sent when the engines are done; the connection to the server may take longer.",
    audit: { verb: "up", noun: "tunnel" },
    cli: { words: ["tunnels", "up"], args: ["id"] },
    aliases: ["/tunnels/{id}/connect"],
  }),
  down: endpoint({
    ...acting,
    path: "/tunnels/{id}/down",
    summary: "Bring a tunnel down",
    audit: { verb: "down", noun: "tunnel" },
    cli: { words: ["tunnels", "down"], args: ["id"] },
    aliases: ["/tunnels/{id}/disconnect"],
  }),
  toggle: endpoint({
    ...acting,
    path: "/tunnels/{id}/toggle",
    summary: "Enable or disable a tunnel",
    body: named("TunnelToggle", closed({ enabled: Type.Boolean() })),
    bodyOptional: true,
    audit: { verb: "toggle", noun: "tunnel" },
  }),
  config: endpoint({
    method: "GET",
    path: "/tunnels/{id}/config",
    role: "viewer",
    summary: "The configuration file of a tunnel, without its secrets",
    params,
    result: named(
      "TunnelFile",
      Type.Object({
        type: TunnelType,
        filename: Type.String(),
        text: Type.String({ description: "A comment replaces each secret" }),
      }),
    ),
    errors: ["not_found"],
  }),
  generateKeys: endpoint({
    method: "POST",
    path: "/tunnels/generate-keys",
    role: "operator",
    summary: "Generate a pair of WireGuard keys",
    description: "The gateway does not store the keys: only this response contains them.",
    body: named(
      "GenerateKeys",
      closed({ preshared_key: Type.Boolean({ description: "Whether to generate a pre-shared key as well" }) }),
    ),
    bodyOptional: true,
    result: named(
      "WireguardKeys",
      Type.Object({
        private_key: WireguardKey,
        public_key: WireguardKey,
        preshared_key: Type.Optional(WireguardKey),
      }),
    ),
    errors: [],
  }),
  importWireguard: endpoint({
    ...importEndpoint,
    path: "/tunnels/import-wireguard",
    summary: "Create a tunnel from a WireGuard .conf",
    body: named("ImportWireguard", closed({ config: ConfigFile, ...importing })),
  }),
  uploadOvpn: endpoint({
    ...importEndpoint,
    path: "/tunnels/upload-ovpn",
    summary: "Create a tunnel from an .ovpn file",
    body: named(
      "UploadOvpn",
      closed({
        config: ConfigFile,
        ...importing,
        ...optionals({ username: Type.String({ minLength: 1, maxLength: 1024 }), password: Credential }),
      }),
    ),
  }),
  egress: endpoint({
    method: "GET",
    path: "/tunnels/egress",
    role: "viewer",
    summary: "Which tunnel each policy uses now",
    result: Type.Array(Egress),
    errors: [],
  }),
};
